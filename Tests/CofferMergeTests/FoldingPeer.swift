import CofferMerge
import CofferModel
import MergeReference
import Testing

/// A peer that saves by hand, each save a fold.
struct FoldingPeer {
    private(set) var replica = Replica(MergeWorld.model)
    private let id: PeerID
    private var folds: UInt64 = 0
    /// What it wrote last.
    private(set) var last: [Register] = []

    init(_ id: UInt64) { self.id = PeerID(id) }

    /// Saves, and expects that nothing but that is seen otherwise.
    mutating func save(at time: Int64, _ changes: LocalEdit.Change...) {
        let author = FoldAuthor(id, number: folds, salt: UInt32(truncatingIfNeeded: id.number))
        folds += 1
        let folded = replica.fold([LocalEdit(at: time, changes)], by: author)
        #expect(folded.isKept)
        last = folded.registers
        compare()
    }

    mutating func join(_ registers: [Register]) {
        replica.join(registers)
        compare()
    }

    /// What is kept up to date is what the definition says.
    private func compare() {
        let defined = MergeReference(replica.state, model: replica.model).graph()
        #expect(replica.graph.seen == defined)
    }

    func object(_ record: RecordID) -> SeenObject? {
        replica.graph.seen.objects.values.first { $0.records.contains(record) }
    }

    /// The keys of what was written last.
    var keys: Set<RegisterKey> { Set(last.map(\.key)) }
}

extension LocalEdit.Change {
    static func insert(_ record: RecordID) -> Self {
        .insert(record, entity: MergeWorld.entity(of: Int(record.high)))
    }

    static func text(_ record: RecordID, _ property: String, is text: String?) -> Self {
        .set(record, property, Cell(text.map { .value(.string($0)) } ?? .null))
    }

    static func link(_ record: RecordID, _ property: String, to target: RecordID?) -> Self {
        .set(record, property, Cell(target.map { .record($0) } ?? .null))
    }

    static func delete(_ record: RecordID) -> Self { .delete(record, through: nil) }
}
