internal import CofferModel

/// Which objects that registers make may share a key, or are named in one.
struct KeyIndex: Sendable {
    /// Values that may make objects one: of a constraint's first attribute, if it has any.
    struct Bucket: Sendable, Hashable {
        let constraint: Int
        let value: AttributeValue?
    }

    /// What an object's keys say, in whichever of its cells.
    struct Entry: Sendable {
        let records: RecordGroup
        var buckets: Set<Bucket> = []
        var named: Set<RecordID> = []
    }

    private(set) var entries: [RecordID: Entry] = [:]
    private var buckets: [Bucket: Set<RecordID>] = [:]
    /// By the records that they name.
    private var namers: [RecordID: Set<RecordID>] = [:]

    /// The objects that share a value.
    func sharing(_ bucket: Bucket) -> Set<RecordID> { buckets[bucket] ?? [] }

    /// The objects whose keys name a record.
    func namers(of record: RecordID) -> Set<RecordID> { namers[record] ?? [] }

    mutating func add(_ entry: Entry, of id: RecordID) {
        for bucket in entry.buckets { buckets[bucket, default: []].insert(id) }
        for record in entry.named { namers[record, default: []].insert(id) }
        entries[id] = entry
    }

    mutating func remove(_ id: RecordID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
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
