extension ResultRows {
    /// Carries changes out.
    ///
    /// - Throws: `CofferError.unorderedResults` if a section would not lie together; rows stay as they
    ///   were.
    /// - Complexity: O(k log n) comparisons for k changes; besides, 4 bytes are copied of each row between
    ///   the first and the last place that changes, and nothing if no place changes.
    mutating func apply(_ changes: RowChanges) throws(CofferError) -> [RowEvent] {
        var plan = RowPlan(self, changes)
        guard !plan.isEmpty else { return [] }
        let oldRuns = runs
        plan.takeOut()
        plan.putIn(&self, changes)
        if hasSections {
            do throws(CofferError) {
                try plan.findRuns(&self)
            } catch {
                plan.takeBack(&self)
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
    /// A row that is put in: its place among the rows that stay, and its former place.
    struct Arrival {
        var slot: Int32
        var rank = 0
        /// The former place of the row; `nil` for a new one.
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
    private var arrivals: [Arrival] = []
    /// New places of what is put in, ascending.
    private var arrivalPlaces: [Int] = []
    /// Before how many of those that stay each of `outs` was.
    private var outRanks: [Int] = []
    /// Before how many of those that stay each arrival is.
    private var arrivalRanks: [Int] = []
    /// The part of the order that was replaced, and what was there; only sections can make anybody want it
    /// back.
    private var replacedOrder: (range: Range<Int>, slots: [Int32])?
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

    /// Notes the places of what goes or changes.
    mutating func takeOut() {
        outs = (removed.map(\.place) + changed.map(\.place)).sorted()
        outRanks = outs.enumerated().map { $1 - $0 }
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
        for place in arrivals.indices { arrivals[place].rank = rank(of: arrivals[place].slot, rows) }
        arrivalRanks = arrivals.map(\.rank)
        arrivalPlaces = arrivals.enumerated().map { $1.rank + $0 }
        putInOrder(&rows)
        findMoves(rows)
    }

    /// Makes the new order of the old one, from the first to the last place that changes.
    private mutating func putInOrder(_ rows: inout ResultRows) {
        guard let start = [outs.first, arrivalRanks.first].compactMap({ $0 }).min() else { return }
        let end = max(outs.last.map { $0 + 1 } ?? 0, arrivalRanks.last.map(oldIndex) ?? 0)
        var slots: [Int32] = []
        slots.reserveCapacity(end - start + arrivals.count - outs.count)
        var (next, nextOut) = (start, 0)
        func keep(upTo end: Int) {
            while nextOut < outs.count, outs[nextOut] < end {
                slots.append(contentsOf: rows.order[next..<outs[nextOut]])
                next = outs[nextOut] + 1
                nextOut += 1
            }
            slots.append(contentsOf: rows.order[next..<end])
            next = end
        }
        for arrival in arrivals {
            keep(upTo: oldIndex(arrival.rank))
            slots.append(arrival.slot)
        }
        keep(upTo: end)
        if rows.hasSections {
            replacedOrder = (start..<(start + slots.count), Array(rows.order[start..<end]))
        }
        rows.order.replaceSubrange(start..<end, with: slots)
    }

    /// The place in the old order of the row before which `rank` of the staying rows come.
    private func oldIndex(_ rank: Int) -> Int { rank + Self.count(of: outRanks, below: rank + 1) }

    /// How many of those that stay come before a slot; `rows` still has the old order.
    private func rank(of slot: Int32, _ rows: ResultRows) -> Int {
        var (low, high) = (0, rows.order.count - outs.count)
        while low < high {
            let middle = (low + high) / 2
            if rows.comes(rows.order[oldIndex(middle)], before: slot) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Gives slots, and the order, what they held before.
    func takeBack(_ rows: inout ResultRows) {
        for arrival in arrivals where arrival.from == nil { rows.remove(arrival.slot) }
        for (slot, _, _, old) in changed { rows.replace(slot, with: old) }
        if let replacedOrder { rows.order.replaceSubrange(replacedOrder.range, with: replacedOrder.slots) }
    }

    /// Marks the objects that changed their order; one that stays between its neighbours has not moved.
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
            if end > start {
                let place = start + Self.count(of: arrivalRanks, below: start + 1)
                counts[run.number] = (end - start, rows.order[place])
            }
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

    /// The former place of a row to which nothing was done.
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
