/// A member of an ordered relationship that is given a place: behind another, or at the beginning.
struct MemberMove: Sendable, Equatable {
    var member: ObjectReference
    /// `nil` for the beginning.
    var after: ObjectReference?

    /// The move with its objects named by `name`.
    func renamed(_ name: (ObjectReference) -> ObjectReference) -> MemberMove {
        MemberMove(member: name(member), after: after.map(name))
    }
}

/// Works out moves from lists, and lists from moves.
enum MemberMoves {
    /// The fewest moves that make `target` of `list`, which has the same members; done one after the other,
    /// from the left.
    ///
    /// An object in `loose` moves in any case: its place in the list is a guess.
    /// - Complexity: O(n log n).
    static func moves(
        from list: [ObjectReference], to target: [ObjectReference], loose: Set<ObjectReference> = []
    ) -> [MemberMove] {
        let places = Dictionary(list.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
        let fixed = longestRise(target.map { loose.contains($0) ? nil : places[$0] })
        return target.indices.filter { !fixed[$0] }.map { place in
            MemberMove(member: target[place], after: place == 0 ? nil : target[place - 1])
        }
    }

    /// For each number whether it is in a longest part that only rises; those that are missing are in none.
    private static func longestRise(_ numbers: [Int?]) -> [Bool] {
        var ends: [Int] = []  // The place of the least number that ends a rise of each length.
        var before = [Int](repeating: -1, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            guard let number else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if let other = numbers[ends[middle]], other < number {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            if low > 0 { before[place] = ends[low - 1] }
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var isFixed = [Bool](repeating: false, count: numbers.count)
        var place = ends.last ?? -1
        while place >= 0 {
            isFixed[place] = true
            place = before[place]
        }
        return isFixed
    }

    /// `list` after `moves`; one whose member or neighbour is not there is left out.
    ///
    /// - Complexity: O(n + moves).
    static func list(_ list: [ObjectReference], after moves: [MemberMove]) -> [ObjectReference] {
        if moves.isEmpty { return list }
        // A ring through place 0, which is before the first and behind the last; members have the places from
        // 1 on.
        let count = list.count
        var next = (0...count).map { ($0 + 1) % (count + 1) }
        var previous = (0...count).map { ($0 + count) % (count + 1) }
        let places = Dictionary(list.enumerated().map { ($0.element, $0.offset + 1) }) { first, _ in first }
        for move in moves {
            guard let place = places[move.member] else { continue }
            let anchor = move.after.map { places[$0] } ?? 0
            guard let anchor, anchor != place else { continue }
            next[previous[place]] = next[place]
            previous[next[place]] = previous[place]
            next[place] = next[anchor]
            previous[place] = anchor
            previous[next[place]] = place
            next[anchor] = place
        }
        var result: [ObjectReference] = []
        result.reserveCapacity(count)
        var place = next[0]
        while place != 0 {
            result.append(list[place - 1])
            place = next[place]
        }
        return result
    }
}
