internal import CofferMerge

/// The records that registers are of, and which of them were saved at once.
///
/// What is known of one record stays together, and so does what was saved at once, with what it names. Only
/// what is more records than may be that way is cut, between records, of which those that others name come
/// first. Records are numbered in the order of their births.
struct SavedTogether {
    /// The places of each record's registers.
    private var places: [[Int]] = []
    /// The records that each one names.
    private var named: [[Int]] = []
    /// Which records were written or named together.
    private var sets: DisjointSets

    init(_ registers: [Register]) {
        var numbers: [RecordID: Int] = [:]
        for home in Set(registers.map(\.home)).sorted() { numbers[home] = numbers.count }
        places = Array(repeating: [], count: numbers.count)
        named = places
        sets = DisjointSets(count: numbers.count)
        var saves: [Save: Int] = [:]
        for (place, register) in registers.enumerated() {
            guard let record = numbers[register.home] else { continue }
            places[record].append(place)
            let save = Save(register.stamp)
            sets.join(record, saves[save, default: record])
            saves[save] = record
            guard case .cell(_, _, let cell) = register, let name = cell.value.record,
                let other = numbers[name]
            else { continue }
            named[record].append(other)
            sets.join(record, other)
        }
    }

    /// What is joined together, in order.
    ///
    /// - Parameter count: The most records that are not cut.
    /// - Returns: The places of registers.
    func groups(ofAtMost count: Int) -> [[Int]] {
        var sets = sets
        var members: [Int: [Int]] = [:]
        for record in places.indices { members[sets.root(of: record), default: []].append(record) }
        return namedFirst.flatMap { record -> [[Int]] in
            let root = sets.root(of: record)
            if members[root, default: []].count > count { return [places[record]] }
            return members.removeValue(forKey: root).map { [$0.flatMap { places[$0] }] } ?? []
        }
    }

    /// The records in the order of their births, with those that one names before it, if they name no circle.
    private var namedFirst: [Int] {
        var order: [Int] = []
        var isSeen = Array(repeating: false, count: named.count)
        for first in named.indices where !isSeen[first] {
            isSeen[first] = true
            var path = [(record: first, names: named[first][...])]
            while let last = path.indices.last {
                guard let next = path[last].names.popFirst() else {
                    order.append(path.removeLast().record)
                    continue
                }
                if isSeen[next] { continue }
                isSeen[next] = true
                path.append((record: next, names: named[next][...]))
            }
        }
        return order
    }

    /// What tells saves of one fold apart: each has its time.
    private struct Save: Hashable {
        private let peer: PeerID
        private let fold: UInt64
        private let microseconds: Int64

        init(_ stamp: Stamp) { (peer, fold, microseconds) = (stamp.peer, stamp.fold, stamp.microseconds) }
    }
}
