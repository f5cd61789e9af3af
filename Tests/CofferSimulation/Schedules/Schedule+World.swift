internal import CofferContainer

// What the strict world has besides. Each part of it has a number of its own, so that it leaves the rest of a
// schedule as it was.

extension Schedule {
    /// Adds the steps that only the strict world has.
    mutating func addWorld(of seed: UInt64) {
        guard model == .strict else { return }
        var draw = Draw(seed).fork(2)
        if draw.chance(30) {
            start = 60 * SimulatedFolders.day
            insert(.setClock, count: 2 + draw.below(4), &draw)
        }
        draw = Draw(seed).fork(3)
        if draw.chance(40) { insert(.takeBack, count: 1 + draw.below(5), &draw) }
        draw = Draw(seed).fork(4)
        if draw.chance(30) { insert(.months, count: 1, &draw) }
        draw = Draw(seed).fork(5)
        if draw.chance(25) { insert(.damage, count: 1 + draw.below(2), &draw) }
    }

    /// Which version of the model peers have at first.
    var firstVersion: SimulatedModel.Version { hasMigrations && model == .strict ? .first : .second }

    /// Whether clocks are set while it runs.
    var hasClocks: Bool { start > 0 }

    private mutating func insert(_ kind: Kind, count: Int, _ draw: inout Draw) {
        for _ in 0..<count {
            let event = Event(place: 0, peer: draw.below(peers), kind: kind, seed: draw.next())
            events.insert(event, at: draw.below(events.count + 1))
        }
    }

    /// What the clock of a peer shows at first beyond the true time, in microseconds.
    func skew(of peer: Int) -> Int64 { skews.indices.contains(peer) ? skews[peer] : 0 }

    /// How many microseconds pass at a time, so often, while a peer is away for months.
    static func months(_ draw: inout Draw) -> (step: Int64, count: Int) {
        (Int64(10 + draw.below(10)) * SimulatedFolders.day, 10 + draw.below(3))
    }

    /// What a clock that is set shows beyond the true time: as at first, or up to a month more or less.
    static func skew(besides first: Int64, _ draw: inout Draw) -> Int64 {
        let length = Int64.random(in: 1...30 * SimulatedFolders.day, using: &draw)
        return first + [0, length, -length][draw.below(3)]
    }
}
