import CofferModel

/// What is to be done to rows, each named once.
struct RowChanges {
    var removed: [ObjectReference] = []
    /// New and known rows, under the names that they have now.
    var rows: [ResultRow] = []
    /// The names that known rows had.
    var formerNames: [ObjectReference: ObjectReference] = [:]
    /// Rows that have something new to show, though perhaps nothing that they are ordered by.
    var updated: Set<ObjectReference> = []
}

/// What was done to a row or section, places counted in all rows.
enum RowEvent {
    case sectionDeleted(Int32, at: Int)
    case sectionInserted(Int32, at: Int)
    case deleted(ObjectReference, at: Int)
    case inserted(ObjectReference, at: Int)
    case moved(ObjectReference, from: Int, to: Int)
    case updated(ObjectReference, from: Int, to: Int)
}

extension ResultRows {
    /// Carries changes out.
    ///
    /// - Throws: `CofferError.unorderedResults` where a section would not lie together; rows stay as they were.
    /// - Complexity: O(k log n) comparisons for k changes; besides, 4 bytes a row are copied.
    mutating func apply(_ changes: RowChanges) throws(CofferError) -> [RowEvent] {
        var plan = RowPlan(self, changes)
        guard !plan.isEmpty else { return [] }
        let (oldOrder, oldRuns) = (order, runs)
        plan.takeOut(&self)
        plan.putIn(&self, changes)
        if hasSections {
            do throws(CofferError) {
                try plan.findRuns(&self)
            } catch {
                plan.takeBack(&self)
                order = oldOrder
                throw error
            }
        }
        let events = plan.events(self, oldRuns)
        for (slot, _) in plan.removed { remove(slot) }
        return events
    }
}

/// Changes of rows on their way.
private struct RowPlan {
    /// A row that is put in: where among those that stay, and where it was.
    struct Arrival {
        var slot: Int32
        var rank = 0
        /// Where it was; `nil` for a new one.
        var from: Int?
        var oldNumber: Int32 = -1
        var isMoved = false
    }

    /// Slots and their old places.
    var removed: [(slot: Int32, place: Int)] = []
    private var changed: [(slot: Int32, place: Int, row: ResultRow, old: ResultRow)] = []
    private var quiet: [Int32] = []
    private var new: [ResultRow] = []
    /// Old places of what is taken out, ascending.
    private var outs: [Int] = []
    private var base: [Int32] = []
    private var arrivals: [Arrival] = []
    /// New places of what is put in, ascending.
    private var arrivalPlaces: [Int] = []
    /// Before how many of those that stay each of `outs` was.
    private var outRanks: [Int] = []
    /// Sections that both went and came, since others overtook them.
    private var replaced: Set<Int32> = []

    var isEmpty: Bool { removed.isEmpty && changed.isEmpty && quiet.isEmpty && new.isEmpty }

    init(_ rows: ResultRows, _ changes: RowChanges) {
        for reference in changes.removed {
            if let slot = rows.slot(reference), let place = rows.place(of: slot) {
                removed.append((slot, place))
            }
        }
        for row in changes.rows {
            guard
                let slot = rows.slot(changes.formerNames[row.reference] ?? row.reference)
                    ?? rows.slot(row.reference), let place = rows.place(of: slot)
            else {
                new.append(row)
                continue
            }
            if !rows.holds(slot, row) {
                changed.append((slot, place, row, rows.row(slot)))
            } else if changes.updated.contains(row.reference) {
                quiet.append(slot)
            }
        }
        let known = Set(changes.rows.map(\.reference)).union(changes.removed)
        for reference in changes.updated where !known.contains(reference) {
            if let slot = rows.slot(reference) { quiet.append(slot) }
        }
    }

    /// Takes out what goes or changes.
    mutating func takeOut(_ rows: inout ResultRows) {
        outs = (removed.map(\.place) + changed.map(\.place)).sorted()
        base.reserveCapacity(rows.order.count)
        var start = 0
        for place in outs {
            base.append(contentsOf: rows.order[start..<place])
            start = place + 1
        }
        base.append(contentsOf: rows.order[start...])
    }

    /// Puts in what is new or changed.
    mutating func putIn(_ rows: inout ResultRows, _ changes: RowChanges) {
        for (slot, place, row, _) in changed {
            arrivals.append(
                Arrival(slot: slot, from: place, oldNumber: rows.sectionNumbers[Int(slot)]))
            rows.replace(slot, with: row)
        }
        for row in new { arrivals.append(Arrival(slot: rows.add(row))) }
        arrivals.sort { [rows] in rows.comes($0.slot, before: $1.slot) }
        for place in arrivals.indices { arrivals[place].rank = rows.rank(of: arrivals[place].slot, in: base) }
        var order: [Int32] = []
        order.reserveCapacity(base.count + arrivals.count)
        var start = 0
        for arrival in arrivals {
            order.append(contentsOf: base[start..<arrival.rank])
            order.append(arrival.slot)
            start = arrival.rank
        }
        order.append(contentsOf: base[start...])
        rows.order = order
        arrivalPlaces = arrivals.enumerated().map { $1.rank + $0 }
        outRanks = outs.enumerated().map { $1 - $0 }
        findMoves(rows)
    }

    /// Gives slots what they held before.
    func takeBack(_ rows: inout ResultRows) {
        for arrival in arrivals where arrival.from == nil { rows.remove(arrival.slot) }
        for (slot, _, _, old) in changed { rows.replace(slot, with: old) }
    }

    /// What stays between the same others has not moved.
    private mutating func findMoves(_ rows: ResultRows) {
        var last = -1
        for place in arrivals.indices {
            guard let from = arrivals[place].from else { continue }
            let arrival = arrivals[place]
            arrivals[place].isMoved =
                from < last || from - Self.count(of: outs, below: from) != arrival.rank
                || arrival.oldNumber != rows.sectionNumbers[Int(arrival.slot)]
            if !arrivals[place].isMoved { last = from }
        }
    }

    /// How many of ascending numbers are below another.
    private static func count(of numbers: [Int], below limit: Int) -> Int {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < limit { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension RowPlan {
    /// Makes the sections of the new order from those of the old one.
    mutating func findRuns(_ rows: inout ResultRows) throws(CofferError) {
        var counts: [Int32: (count: Int, example: Int32)] = [:]
        for run in rows.runs {
            let start = run.start - Self.count(of: outs, below: run.start)
            let end = run.end - Self.count(of: outs, below: run.end)
            if end > start { counts[run.number] = (end - start, base[start]) }
        }
        for arrival in arrivals {
            let number = rows.sectionNumbers[Int(arrival.slot)]
            counts[number, default: (0, arrival.slot)].count += 1
        }
        let sorted = counts.sorted { [rows] in rows.comes($0.value.example, before: $1.value.example) }
        var runs: [ResultRows.Run] = []
        for (number, section) in sorted {
            let start = runs.last?.end ?? 0
            runs.append(ResultRows.Run(number: number, start: start, end: start + section.count))
        }
        for (count, arrival) in arrivals.enumerated() {
            let place = arrival.rank + count
            let index = ResultRows.index(of: place, in: runs, hasSections: true)
            let number = rows.sectionNumbers[Int(arrival.slot)]
            guard runs.indices.contains(index.section), runs[index.section].number == number else {
                throw rows.notTogether(number)
            }
        }
        findReplaced(rows.runs, runs)
        rows.runs = runs
    }

    private mutating func findReplaced(_ oldRuns: [ResultRows.Run], _ runs: [ResultRows.Run]) {
        let places = Dictionary(
            oldRuns.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
        var last = -1
        for run in runs {
            guard let place = places[run.number] else { continue }
            if place < last { replaced.insert(run.number) } else { last = place }
        }
    }

    /// What was done, in the order in which it can be followed.
    func events(_ rows: ResultRows, _ oldRuns: [ResultRows.Run]) -> [RowEvent] {
        var deleted = removed.sorted { $0.place > $1.place }
            .map { RowEvent.deleted(rows.references[Int($0.slot)], at: $0.place) }
        var (inserted, moved, updated): ([RowEvent], [RowEvent], [RowEvent]) = ([], [], [])
        for (count, arrival) in arrivals.enumerated() {
            let (place, reference) = (arrival.rank + count, rows.references[Int(arrival.slot)])
            guard let from = arrival.from else {
                inserted.append(.inserted(reference, at: place))
                continue
            }
            if arrival.isMoved || replaced.contains(rows.sectionNumbers[Int(arrival.slot)]) {
                moved.append(.moved(reference, from: from, to: place))
            } else {
                updated.append(.updated(reference, from: from, to: place))
            }
        }
        for slot in quiet where !replaced.contains(rows.sectionNumbers[Int(slot)]) {
            guard let place = rows.place(of: slot) else { continue }
            updated.append(.updated(rows.references[Int(slot)], from: oldPlace(of: place), to: place))
        }
        moved += carried(rows)
        deleted += inserted
        return sectionEvents(rows, oldRuns) + deleted + moved + updated
    }

    /// The rows that go along with sections that others overtook.
    private func carried(_ rows: ResultRows) -> [RowEvent] {
        guard !replaced.isEmpty else { return [] }
        let told = Set(arrivals.map(\.slot))
        return rows.runs.filter { replaced.contains($0.number) }.flatMap { run in
            (run.start..<run.end).filter { !told.contains(rows.order[$0]) }.map {
                .moved(rows.references[Int(rows.order[$0])], from: oldPlace(of: $0), to: $0)
            }
        }
    }

    /// Where a row was that nothing was done to.
    private func oldPlace(of place: Int) -> Int {
        let rank = place - Self.count(of: arrivalPlaces, below: place)
        return rank + Self.count(of: outRanks, below: rank + 1)
    }

    private func sectionEvents(_ rows: ResultRows, _ oldRuns: [ResultRows.Run]) -> [RowEvent] {
        let (old, new) = (Set(oldRuns.map(\.number)), Set(rows.runs.map(\.number)))
        var events: [RowEvent] = []
        for (place, run) in oldRuns.enumerated().reversed()
        where !new.contains(run.number) || replaced.contains(run.number) {
            events.append(.sectionDeleted(run.number, at: place))
        }
        for (place, run) in rows.runs.enumerated()
        where !old.contains(run.number) || replaced.contains(run.number) {
            events.append(.sectionInserted(run.number, at: place))
        }
        return events
    }
}
