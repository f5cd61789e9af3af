extension Fold {
    /// Gives places to as few members as it takes to stand in an order.
    mutating func place(_ members: [RecordID], in property: String, of owner: RecordID) {
        guard let relationship = entity(of: owner)?.relationship(property) else { return }
        let old = members.map { place(of: $0, in: owner, relationship) }
        var staying = ascending(old)
        var start = 0
        while start < members.count {
            if staying.contains(start) {
                start += 1
                continue
            }
            // A run reaches up to the next member that stays; if no place fits before that member, it
            // goes with the run.
            var end = start
            while end < members.count && !staying.contains(end) { end += 1 }
            let left = start > 0 ? place(of: members[start - 1], in: owner, relationship) : nil
            let right = end < members.count ? old[end] : nil
            guard let places = places(end - start, after: left, before: right) else {
                staying.remove(end)
                continue
            }
            if places.contains(where: \.isLong) {
                start = spread(members, around: start..<end, in: owner, relationship)
                continue
            }
            for (member, place) in zip(members[start..<end], places) {
                write(place, of: member, in: owner, relationship)
            }
            start = end
        }
    }

    /// Gives new places to the members around a spot where they became long, to as many as it takes.
    ///
    /// What is put between the last two that were put there, again and again, would have ever longer places.
    /// - Returns: The first member behind them.
    private mutating func spread(
        _ members: [RecordID], around spot: Range<Int>, in owner: RecordID, _ relationship: MergeRelationship
    ) -> Int {
        var width = spot.count
        while true {
            let range = max(0, spot.lowerBound - width)..<min(members.count, spot.upperBound + width)
            width *= 2
            let left =
                range.lowerBound > 0
                ? place(of: members[range.lowerBound - 1], in: owner, relationship) : nil
            let right =
                range.upperBound < members.count
                ? place(of: members[range.upperBound], in: owner, relationship) : nil
            guard let places = places(range.count, after: left, before: right),
                range.count == members.count || !places.contains(where: \.isLong)
            else { continue }
            for (member, place) in zip(members[range], places) {
                write(place, of: member, in: owner, relationship)
            }
            return range.upperBound
        }
    }

    private mutating func places(
        _ count: Int, after left: Stamped<Place>?, before right: Stamped<Place>?
    ) -> [Place]? {
        if let left, left.stamp.peer == author.peer, let next = PlaceSteps.next(to: left.value),
            count == 1, right.map({ next < $0.value }) ?? true
        {
            return [next]
        }
        runs &+= 1
        return PlaceSteps.run(
            of: count, between: left?.value, and: right?.value, salt: author.salt &+ runs &* 0x9E37_79B9)
    }

    /// Which of some members may keep their places: a longest ascending part of them.
    private func ascending(_ places: [Stamped<Place>?]) -> Set<Int> {
        // The last members of the best parts of each length, and the member that each of these follows.
        var ends: [Int] = []
        var previous: [Int: Int] = [:]
        for (index, place) in places.enumerated() {
            guard let place = place?.value else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if let other = places[ends[middle]]?.value, other < place {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low < ends.count { ends[low] = index } else { ends.append(index) }
        }
        var kept: Set<Int> = []
        var next = ends.last
        while let index = next {
            kept.insert(index)
            next = previous[index]
        }
        return kept
    }

    private func keys(
        of member: RecordID, in owner: RecordID, _ relationship: MergeRelationship
    ) -> [PlaceKey] {
        records(of: owner).flatMap { owner in
            records(of: member).map { PlaceKey(relationship.name, owner: owner, member: $0) }
        }
    }

    private func place(
        of member: RecordID, in owner: RecordID, _ relationship: MergeRelationship
    ) -> Stamped<Place>? {
        keys(of: member, in: owner, relationship).compactMap { registers.place($0) }.max {
            $1.isGreater(than: $0)
        }
    }

    private mutating func write(
        _ place: Place, of member: RecordID, in owner: RecordID, _ relationship: MergeRelationship
    ) {
        let key = PlaceKey(relationship.name, owner: home(of: owner), member: home(of: member))
        put(.place(key), over: keys(of: member, in: owner, relationship).map { .place($0) }) {
            .place(key, Stamped(place, $0))
        }
    }
}
