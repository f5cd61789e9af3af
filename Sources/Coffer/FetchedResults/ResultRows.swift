import CofferModel

/// A row as it is put into results.
struct ResultRow {
    var reference: ObjectReference
    /// What it is ordered by: keys of the values at the sorts' key paths.
    var keys: [AttributeValue]
    /// The section's name; empty if there are no sections.
    var section: String
    /// The object itself, if it is not saved: once it is, it cannot be found by its reference.
    var unsaved: ManagedObject?
}

/// Rows in order, with what they are ordered by, and no objects but those that are not saved.
///
/// A value: about 100 bytes a row, texts aside. Rows stay in numbered slots, so that only an array of 4-byte
/// numbers changes when the order does; a row is found in it by binary search.
struct ResultRows {
    /// Neighbours in the same section.
    struct Run: Equatable {
        var number: Int32
        var start: Int
        var end: Int
    }

    let sorts: [QuerySort]
    let hasSections: Bool
    /// The slots in order.
    var order: [Int32] = []
    var runs: [Run] = []
    /// What slots hold; free ones keep what they had.
    private(set) var references: [ObjectReference] = []
    private(set) var sectionNumbers: [Int32] = []
    private var keys: [[AttributeValue]]
    private var free: [Int32] = []
    private var slots: [ObjectReference: Int32] = [:]
    /// The objects that are not saved.
    private(set) var unsaved: [ObjectReference: ManagedObject] = [:]
    private(set) var sectionNames: [String] = []
    /// Section numbers by names as values, which are equal if their bytes are equal.
    private var numbersByName: [AttributeValue: Int32] = [:]

    init(sorts: [QuerySort], hasSections: Bool) {
        self.sorts = sorts
        self.hasSections = hasSections
        keys = Array(repeating: [], count: sorts.count)
    }

    /// Takes the first rows in; they need not be in order, but it is quicker if they are.
    ///
    /// - Throws: `CofferError.unorderedResults` if a section would not lie together.
    mutating func fill(_ rows: some Sequence<ResultRow>) throws(CofferError) {
        for row in rows { order.append(add(row)) }
        if !zip(order, order.dropFirst()).allSatisfy({ comes($0, before: $1) }) {
            let unordered = order
            order = unordered.sorted { comes($0, before: $1) }
        }
        try findRuns()
    }

    private mutating func findRuns() throws(CofferError) {
        runs = []
        var seen: Set<Int32> = []
        for (place, slot) in order.enumerated() {
            let number = sectionNumbers[Int(slot)]
            if let last = runs.indices.last, runs[last].number == number {
                runs[last].end = place + 1
            } else {
                guard seen.insert(number).inserted else { throw notTogether(number) }
                runs.append(Run(number: number, start: place, end: place + 1))
            }
        }
    }

    /// The error that a section does not lie together.
    func notTogether(_ number: Int32) -> CofferError {
        .unorderedResults(
            "The order by '\(sorts.first?.keyPath.joined(separator: ".") ?? "")' tears a section apart: order by the section first."
        )
    }
}

extension ResultRows {
    /// The slot of a row.
    func slot(_ reference: ObjectReference) -> Int32? { slots[reference] }

    /// All rows, in no order.
    var allReferences: some Collection<ObjectReference> { slots.keys }

    /// Puts a row into a slot, at no place yet.
    mutating func add(_ row: ResultRow) -> Int32 {
        let number = number(of: row.section)
        let slot: Int32
        if let last = free.popLast() {
            slot = last
            references[Int(slot)] = row.reference
            sectionNumbers[Int(slot)] = number
            for (column, key) in row.keys.enumerated() { keys[column][Int(slot)] = key }
        } else {
            slot = Int32(references.count)
            references.append(row.reference)
            sectionNumbers.append(number)
            for (column, key) in row.keys.enumerated() { keys[column].append(key) }
        }
        slots[row.reference] = slot
        if let object = row.unsaved { unsaved[row.reference] = object }
        return slot
    }

    /// Gives a slot other contents.
    mutating func replace(_ slot: Int32, with row: ResultRow) {
        if references[Int(slot)] != row.reference { rename(slot, to: row.reference) }
        if let object = row.unsaved { unsaved[row.reference] = object }
        sectionNumbers[Int(slot)] = number(of: row.section)
        for (column, key) in row.keys.enumerated() { keys[column][Int(slot)] = key }
    }

    /// Frees a slot that is in no place any more.
    mutating func remove(_ slot: Int32) {
        forgetName(of: slot)
        for column in keys.indices { keys[column][Int(slot)] = .null }
        free.append(slot)
    }

    /// What a slot holds.
    func row(_ slot: Int32) -> ResultRow {
        ResultRow(
            reference: references[Int(slot)], keys: keys.map { $0[Int(slot)] },
            section: sectionNames[Int(sectionNumbers[Int(slot)])], unsaved: unsaved[references[Int(slot)]])
    }

    private mutating func rename(_ slot: Int32, to reference: ObjectReference) {
        forgetName(of: slot)
        references[Int(slot)] = reference
        slots[reference] = slot
    }

    private mutating func forgetName(of slot: Int32) {
        let reference = references[Int(slot)]
        guard slots[reference] == slot else { return }
        slots[reference] = nil
        if reference.isUnsaved { unsaved[reference] = nil }
    }

    /// Whether a slot has what a row says.
    func holds(_ slot: Int32, _ row: ResultRow) -> Bool {
        references[Int(slot)] == row.reference
            && sectionNames[Int(sectionNumbers[Int(slot)])].hasBytes(of: row.section)
            && row.keys.indices.allSatisfy { keys[$0][Int(slot)] == row.keys[$0] }
    }

    private mutating func number(of section: String) -> Int32 {
        if let number = numbersByName[.string(section)] { return number }
        let number = Int32(sectionNames.count)
        sectionNames.append(section)
        numbersByName[.string(section)] = number
        return number
    }
}

extension ResultRows {
    /// Whether a slot comes before another: by the sorts, rows that the first holds alike by section; else
    /// the older one first.
    func comes(_ left: Int32, before right: Int32) -> Bool {
        let (left, right) = (Int(left), Int(right))
        for (column, sort) in sorts.enumerated() {
            let order = QuerySort.order(keys[column][left], keys[column][right])
            if order != .same { return (order == .before) == sort.isAscending }
            if column == sorts[0].keyCount - 1, sectionNumbers[left] != sectionNumbers[right] {
                let (first, second) = (sectionNumbers[left], sectionNumbers[right])
                return sectionNames[Int(first)].utf8.lexicographicallyPrecedes(sectionNames[Int(second)].utf8)
            }
        }
        let (older, younger) = (references[left], references[right])
        if older.isUnsaved != younger.isUnsaved { return younger.isUnsaved }
        if older.isUnsaved { return older.key > younger.key }
        return (older.store, older.key) < (younger.store, younger.key)
    }

    /// How many of `order` come before a slot.
    func rank(of slot: Int32, in order: [Int32]) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if comes(order[middle], before: slot) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Where a slot stands.
    ///
    /// - Complexity: O(log n); O(n) for numbers that have no order.
    func place(of slot: Int32) -> Int? {
        let place = rank(of: slot, in: order)
        return place < order.count && order[place] == slot ? place : order.firstIndex(of: slot)
    }

    /// A place among all rows as section and item.
    static func index(of place: Int, in runs: [Run], hasSections: Bool) -> SectionIndex {
        guard hasSections else { return SectionIndex(section: 0, item: place) }
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].end <= place { low = middle + 1 } else { high = middle }
        }
        return SectionIndex(section: low, item: place - (low < runs.count ? runs[low].start : 0))
    }
}
