/// Records that are one: nearly always a single one, which takes no memory of its own.
package struct RecordGroup: Sendable, Hashable, Sequence {
    /// The smallest, which names the object.
    let first: RecordID
    /// The others, ascending.
    private let others: [RecordID]

    package init(_ record: RecordID) { (first, others) = (record, []) }

    /// `nil` of no records.
    package init?(_ records: Set<RecordID>) {
        guard let first = records.min() else { return nil }
        self.first = first
        others = records.count == 1 ? [] : records.subtracting([first]).sorted()
    }

    var count: Int { 1 + others.count }
    var set: Set<RecordID> { Set(self) }

    /// Goes through them, the smallest first.
    package struct Iterator: IteratorProtocol {
        fileprivate let group: RecordGroup
        private var place = -1

        fileprivate init(_ group: RecordGroup) { self.group = group }

        package mutating func next() -> RecordID? {
            defer { place += 1 }
            if place < 0 { return group.first }
            return place < group.others.count ? group.others[place] : nil
        }
    }

    package func makeIterator() -> Iterator { Iterator(self) }
}
