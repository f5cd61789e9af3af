internal import CofferModel

/// Which objects that registers make may share a key, or are named in one.
package struct KeyIndex: Sendable {
    /// Values that may make objects one: of a constraint's first attribute, if it has any.
    ///
    /// Equal values have one number. If others have it too, only more objects are looked at together.
    package struct Bucket: Sendable, Hashable {
        package let number: UInt64

        package init(number: UInt64) { self.number = number }

        /// The bucket of a value, or of all objects if the constraint has no attribute.
        init(constraint: Int, value: AttributeValue?) {
            var bytes = OrderedBytes()
            bytes.append(UInt64(constraint))
            if let value { bytes.append(value.withoutSignOfZero) }
            // FNV-1a.
            number = bytes.bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
    }

    /// What an object's keys say, in whichever of its cells.
    package struct Entry: Sendable, Hashable {
        package let records: RecordGroup
        package var buckets: Set<Bucket> = []
        package var named: Set<RecordID> = []

        package init(records: RecordGroup) { self.records = records }
    }

    private let base: (any RegisterBase)?
    /// The entries that are here, or that are no longer in the base.
    private(set) var here: [RecordID: Entry?] = [:]
    private var buckets: [Bucket: Set<RecordID>] = [:]
    /// By the records that they name.
    private var namers: [RecordID: Set<RecordID>] = [:]

    init(over base: (any RegisterBase)?) { self.base = base }

    /// What the keys of an object say; `nil` if it has none.
    func entry(of id: RecordID) -> Entry? {
        if let entry = here[id] { return entry }
        return base?.facts(of: id).key
    }

    /// The objects that share a value.
    func sharing(_ bucket: Bucket) -> Set<RecordID> {
        union(of: buckets[bucket] ?? []) { $0.sharing(bucket) }
    }

    /// The objects whose keys name a record.
    func namers(of record: RecordID) -> Set<RecordID> {
        union(of: namers[record] ?? []) { $0.keyNamers(of: record) }
    }

    private func union(
        of here: Set<RecordID>, with kept: (any RegisterBase) -> Set<RecordID>
    ) -> Set<RecordID> {
        guard let base else { return here }
        return here.union(kept(base).filter { self.here[$0] == nil })
    }

    mutating func add(_ entry: Entry, of id: RecordID) {
        for bucket in entry.buckets { buckets[bucket, default: []].insert(id) }
        for record in entry.named { namers[record, default: []].insert(id) }
        here.updateValue(entry, forKey: id)
    }

    mutating func remove(_ id: RecordID) {
        let entry = here.removeValue(forKey: id).flatMap(\.self)
        if base != nil { here.updateValue(nil, forKey: id) }
        guard let entry else { return }
        for bucket in entry.buckets {
            buckets[bucket]?.remove(id)
            if buckets[bucket]?.isEmpty == true { buckets[bucket] = nil }
        }
        for record in entry.named {
            namers[record]?.remove(id)
            if namers[record]?.isEmpty == true { namers[record] = nil }
        }
    }
}
