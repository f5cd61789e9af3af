public import CofferModel

/// Section names and object ids of fetched results at one time: what a list shows, to be compared with what
/// it shows next.
public struct FetchedResultsSnapshot: Sendable, Equatable {
    /// One section.
    public struct Section: Sendable, Equatable {
        /// The section's name, which no other section has.
        public let name: String
        /// The ids of its objects, in order.
        public let objectIDs: [ManagedObjectID]

        /// Whether both have the same objects, and a name of the same bytes.
        public static func == (left: Section, right: Section) -> Bool {
            left.name.hasBytes(of: right.name) && left.objectIDs == right.objectIDs
        }
    }

    /// The sections, in order.
    public let sections: [Section]

    /// The ids of all objects, in order.
    public var objectIDs: [ManagedObjectID] { sections.flatMap(\.objectIDs) }
}

extension FetchedResultsSnapshot {
    /// What makes this snapshot of an earlier one, in the order and with the places that
    /// `FetchedResultsEvent` tells of.
    ///
    /// It knows ids alone, so that no object counts as updated; as few as possible count as moved.
    /// - Complexity: O(n log n).
    public func difference(from old: FetchedResultsSnapshot) -> [FetchedResultsEvent] {
        let keptNames = Self.kept(sections.map(\.key), from: old.sections.map(\.key))
        var events: [FetchedResultsEvent] = []
        for (place, section) in old.sections.enumerated().reversed() where !keptNames.contains(section.key) {
            events.append(.sectionDeleted(name: section.name, at: place))
        }
        for (place, section) in sections.enumerated() where !keptNames.contains(section.key) {
            events.append(.sectionInserted(name: section.name, at: place))
        }
        return events + rowEvents(from: old, keptNames)
    }

    private func rowEvents(from old: FetchedResultsSnapshot, _ keptNames: Set<AttributeValue>)
        -> [FetchedResultsEvent]
    {
        let (oldRows, rows) = (old.rows, rows)
        let oldPlaces = Dictionary(oldRows.map { ($0.id, $0) }) { first, _ in first }
        let present = Set(rows.map(\.id))
        let kept = Self.kept(rows.map(\.id), from: oldRows.map(\.id))
        var deleted: [FetchedResultsEvent] = []
        for row in oldRows.reversed() where !present.contains(row.id) {
            deleted.append(.deleted(row.id, at: row.place))
        }
        var (inserted, moved): ([FetchedResultsEvent], [FetchedResultsEvent]) = ([], [])
        for row in rows {
            guard let was = oldPlaces[row.id] else {
                inserted.append(.inserted(row.id, at: row.place))
                continue
            }
            let name = sections[row.place.section].key
            let isSame = old.sections[was.place.section].key == name && keptNames.contains(name)
            if !isSame || !kept.contains(row.id) {
                moved.append(.moved(row.id, from: was.place, to: row.place))
            }
        }
        return deleted + inserted + moved
    }

    private var rows: [(id: ManagedObjectID, place: SectionIndex)] {
        sections.enumerated().flatMap { section, content in
            content.objectIDs.enumerated().map { ($1, SectionIndex(section: section, item: $0)) }
        }
    }

    /// The largest set of elements that are in both lists in the same order.
    private static func kept<Element: Hashable>(_ new: [Element], from old: [Element]) -> Set<Element> {
        let places = Dictionary(old.enumerated().map { ($1, $0) }) { first, _ in first }
        var tails: [(place: Int, index: Int)] = []
        var previous: [Int?] = Array(repeating: nil, count: new.count)
        for (index, element) in new.enumerated() {
            guard let place = places[element] else { continue }
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if tails[middle].place < place { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? tails[low - 1].index : nil
            if low == tails.count { tails.append((place, index)) } else { tails[low] = (place, index) }
        }
        var result: Set<Element> = []
        var next = tails.last?.index
        while let index = next {
            result.insert(new[index])
            next = previous[index]
        }
        return result
    }
}

extension FetchedResultsSnapshot.Section {
    /// The name as a value: equal if its bytes are equal.
    fileprivate var key: AttributeValue { .string(name) }
}
