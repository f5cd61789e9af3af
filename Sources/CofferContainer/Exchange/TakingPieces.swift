package import CofferMerge

/// What is left of registers to join that are joined in several transactions.
///
/// What is known of one record stays together, and so does what was written in one fold, with what it names:
/// a save of another machine is seen whole, or not yet. Only what is more than `Limits.objectsAtOnce` records
/// that way is cut, between records, of which those that others name come first.
package struct TakingPieces {
    private let registers: [Register]
    /// The places of registers that are joined together.
    private let groups: [[Int]]
    private var start = 0

    /// These registers, none of which was taken yet.
    package init(_ registers: [Register]) {
        self.registers = registers
        groups = TakenRecords(registers).groups(ofAtMost: Limits.objectsAtOnce)
    }

    /// Whether nothing is left.
    package var isAtEnd: Bool { start == groups.count }

    /// Takes the next piece.
    ///
    /// - Parameter count: From how many registers on it ends.
    /// - Returns: The piece, which is empty only if there was nothing to join.
    package mutating func next(of count: Int) -> [Register] {
        var piece: [Register] = []
        while start < groups.count, piece.isEmpty || piece.count < count {
            piece += groups[start].map { registers[$0] }
            start += 1
        }
        return piece
    }
}

/// The records that registers are of, numbered in the order of their births.
private struct TakenRecords {
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
        var folds: [Fold: Int] = [:]
        for (place, register) in registers.enumerated() {
            guard let record = numbers[register.home] else { continue }
            places[record].append(place)
            let fold = Fold(peer: register.stamp.peer, number: register.stamp.fold)
            sets.join(record, folds[fold, default: record])
            folds[fold] = record
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

    /// Which fold registers were written in.
    private struct Fold: Hashable {
        let peer: PeerID
        let number: UInt64
    }
}
