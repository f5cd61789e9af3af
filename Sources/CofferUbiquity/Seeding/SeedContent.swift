internal import CofferContainer
internal import CofferFormats
internal import CofferMerge
internal import CofferModel
package import CofferStores
package import FoundationEssentials

/// The objects of a store that an application comes with, as registers that are the same wherever they are
/// made.
///
/// Confined. An object's id is made of the store's UUID, its entity and its key, and all is as old as can be:
/// machines that fill their stores at the same time write the same, to do it again changes nothing, and what
/// anybody edited or deleted since stays so.
package struct SeedContent {
    /// The store's UUID.
    package let uuid: UUID
    /// The registers of each record, in the order of ids.
    private let groups: [[Register]]
    /// Which row shows a large value in which property.
    private let sources: [LargeValue: (row: RowAddress, property: String)]
    private let reading: ObjectReading

    /// No real peer: any peer that knows anything has written later.
    private static let author = FoldAuthor(PeerID(0), number: 0, salt: 0)

    /// Reads a file to which no process writes.
    ///
    /// - Throws: `StoreError` if it cannot be read, or does not fit among the registers of others.
    package init(of file: StoreFile) throws(StoreError) {
        uuid = file.uuid
        let model = file.model.model
        var replica = Replica(MergeModel(model))
        reading = ObjectReading(reader: try file.makeWholeReader(), model: model, merge: replica.model)
        var rows: Set<RowAddress> = []
        for entity in model.entities where !entity.isAbstract {
            for key in try reading.reader.keys(ofEntityAt: entity.index) {
                rows.insert(RowAddress(entity: entity.index, key: key))
            }
        }
        let stored = try reading.objects(at: rows)
        let (seed, merge) = (file.uuid, replica.model)
        let changes = LocalChanges(of: replica, stored, book: RecordBook(), values: ValueBook()) { row in
            RecordID(seed: seed, entity: merge.entity(at: row.entity).name, key: row.key)
        }
        .compare(rows).changes
        let folded = replica.fold([LocalEdit(at: 0, changes)], by: Self.author)
        groups = Dictionary(grouping: folded.registers, by: \.key.home)
            .sorted { $0.key < $1.key }.map(\.value)
        var sources: [LargeValue: (row: RowAddress, property: String)] = [:]
        for (row, object) in stored {
            for (property, large) in object.largeValues { sources[large] = (row, property) }
        }
        self.sources = sources
    }

    /// How many objects it has.
    package var objectCount: Int { groups.count }

    /// Some of its objects, from one on.
    ///
    /// - Throws: `StoreError` if their large values cannot be read.
    package func batch(from start: Int, count: Int) throws(StoreError) -> AdoptableContent {
        let registers = groups[start..<min(start + count, groups.count)].flatMap(\.self)
        var values: [LargeValue: AttributeValue] = [:]
        for register in registers {
            guard case .cell(_, _, let cell) = register, case .large(let large) = cell.value.content,
                values[large] == nil, let source = sources[large]
            else { continue }
            values[large] = try reading.value(of: source.property, at: source.row)
        }
        return AdoptableContent(registers: registers, values: values)
    }
}

extension RecordID {
    /// That of an object of a store that an application comes with, or of a backup: born before all others,
    /// and then bytes of a digest.
    init(seed: UUID, entity: String, key: Int64) {
        var hash = SHA256()
        hash.update(Array("coffer seed\0\(seed.uuidString)\0\(key)\0\(entity)".utf8))
        let digest = hash.digest()
        let word = { (bytes: ArraySlice<UInt8>) in bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        self.init(high: word(digest[0..<2]), low: word(digest[2..<10]))
    }
}
