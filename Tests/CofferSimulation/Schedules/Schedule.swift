/// What happens, step by step; each step has a number of its own from which its choices follow, so that a
/// step left out leaves the others as they are.
package struct Schedule: Sendable {
    /// How many peers there are before any is copied.
    let peers: Int
    /// What a peer's clock shows beyond the true time, in microseconds.
    let skews: [Int64]
    /// What the store's objects are like.
    package var model = SimulatedModel.lenient
    /// Of which entities objects are inserted: of few, they meet more often.
    let entities: [String]
    /// What the carrier does.
    let carrierSeed: UInt64
    /// Whether peers exchange a container's objects over folders, instead of folds.
    package var isOverContainer = false
    /// Whether peers keep rows and registers in SQLite files, and exchange a container's objects.
    package var isOverStores = false
    /// Whether peers have in memory only what they change, and look up the rest in what they kept.
    var isKept = false
    /// Whether peers begin with the first version of the model, and take their stores to the second one each
    /// at its own time.
    var hasMigrations = false
    /// The true time at its beginning, in microseconds: later if clocks are set, so that they may go back.
    var start: Int64 = 0
    /// The steps.
    package var events: [Event]

    /// One step of one peer.
    package struct Event: Sendable {
        /// Its place in the schedule as it was drawn: what it inserts is named by it.
        let place: Int
        let peer: Int
        let kind: Kind
        let seed: UInt64
    }

    /// What a peer does.
    enum Kind: Sendable {
        case save(EditKind)
        case fold
        /// Reads what the carrier shows.
        case take
        /// Reads all that others wrote.
        case meet
        /// Reads the whole state of another.
        case baseline
        /// Reads again what it read before, or what it is not due to read yet.
        case stray
        /// Goes on twice, both as the same peer.
        case clone
        /// Keeps a copy aside.
        case backup
        /// Goes back to its copy, as another peer.
        case restore
        /// Takes its store to the second version of the model.
        case migrate
        /// Has its clock set, wrongly or right again.
        case setClock
        /// Is away for months, while the others go on; then a newcomer may come.
        case months
        /// Finds a file of the container damaged for good, as all others do.
        case damage
        /// Takes the last save back.
        case takeBack
    }
}

extension Schedule {
    /// The schedule of a seed.
    ///
    /// Every tenth is over a container, and another tenth over stores besides. In a fifth, peers look up
    /// what they keep, as in tables.
    package init(seed: UInt64) {
        var draw = Draw(seed)
        peers = 2 + draw.below(draw.chance(70) ? 2 : 4)
        skews = (0..<peers).map { _ in [0, 0, 0, 1_000_000, -50][draw.below(5)] }
        let part = draw.chance(25) ? nil : draw.below(4)
        carrierSeed = draw.next()
        isOverContainer = seed % 10 == 0
        isOverStores = seed % 10 == 5
        isKept = seed % 5 == 1
        let favourites = (0..<2).map { _ in EditKind.allCases[draw.below(EditKind.allCases.count)] }
        let hasCopies = draw.chance(30)
        events = []
        for place in 0..<(40 + draw.below(40)) {
            events.append(
                Event(
                    place: place, peer: draw.below(peers),
                    kind: Self.kind(
                        at: place, favourites: favourites, hasCopies: hasCopies, &draw), seed: draw.next()))
        }
        hasMigrations = draw.chance(25)
        model = draw.chance(50) ? .strict : .lenient
        entities = part.map { [model] in model.parts[$0] } ?? model.names
        addWorld(of: seed)
    }

    private static func kind(
        at place: Int, favourites: [EditKind], hasCopies: Bool, _ draw: inout Draw
    ) -> Kind {
        if place < 8 { return draw.chance(70) ? .save(.insert) : .take }
        switch draw.below(100) {
        case 0..<28: return .save(favourites[draw.below(2)])
        case 28..<54: return .save(EditKind.allCases[draw.below(EditKind.allCases.count)])
        case 54..<59: return .fold
        case 59..<76: return .take
        case 76..<80: return .migrate
        case 80..<86: return .baseline
        case 86..<90: return .stray
        default:
            guard hasCopies else { return .take }
            return [.clone, .clone, .backup, .restore][draw.below(4)]
        }
    }
}
