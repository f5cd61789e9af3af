import ArgumentParser

/// What is measured in one go.
enum Step: String, CaseIterable, ExpressibleByArgument {
    case insert = "W1"
    case save = "W2"
    case saveTogether = "W3"
    case find = "W4"
    case fetchAll = "W5"
    case notify = "W6"
    case start = "W7"
    case idle = "W8"
    case readProperties = "W9"
    case walk = "W10"
    case fire = "W11"
    case traverse = "W12"
    case relate = "W13"
    case spread = "W14"
    case follow = "W15"
    case open = "W16"
    case saveWhole = "W17"
    case dump = "W18"
    case backUp = "W19"
    case share = "W20"
    case retype = "W21"
    case migrate = "W22"
    case fold = "W26"
    case weigh = "M"

    init?(argument: String) { self.init(rawValue: argument.uppercased()) }

    /// What it is, for people.
    var title: String {
        switch self {
        case .insert: "bulk insert, durable batches of 500"
        case .save: "durable single saves, one client"
        case .saveTogether: "durable single saves, 8 processes at once"
        case .find: "fetch one by unique e-mail"
        case .fetchAll: "fetch all, every value decoded"
        case .notify: "before a save to its value in another process"
        case .start: "nothing running to the first answer"
        case .idle: "idle service with 8 clients, 10 s"
        case .readProperties: "read a property of a loaded object"
        case .walk: "walk through all contacts, fetched as faults"
        case .fire: "one fault at a time, rows in the row cache"
        case .traverse: "to-many traversal, from a customer to about 100 orders"
        case .relate: "fetch across two relationships, ten rows for each contact"
        case .spread: "one save of a tenth of the contacts, merged by 8 processes that hold them"
        case .follow: "a push of one change, merged, to the event of a list of ten rows for each contact"
        case .open: "open a store of ten rows for each contact, in a new process"
        case .saveWhole: "one save of all contacts into a new store of each type"
        case .dump: "all rows of a store as JSON, ten for each contact"
        case .backUp: "durable single saves, 4 processes at once, while the store is copied"
        case .share: "a store of ten rows for each contact that two machines share by a folder"
        case .retype: "a store of ten rows for each contact, taken to a new file of each type"
        case .migrate: "object-by-object migration by a policy, a card made of each contact"
        case .fold: "a small save of a shared store, folded and put into the folder"
        case .weigh: "memory of a client for each object, ten for each contact"
        }
    }

    /// Whether the step means something for `system`.
    func isMeant(for system: SystemName) -> Bool {
        switch (self, system) {
        case (.find, .socketpair): true
        case (_, .socketpair): false
        case (.walk, .cofferBus), (.fire, .cofferBus), (.traverse, .cofferBus): false
        case (.relate, .cofferBus), (.spread, .cofferBus): false
        case (.readProperties, _): system == .coffer || system == .cofferEmbedded
        case (.follow, _), (.weigh, _), (.share, _), (.fold, _): system == .coffer
        case (.idle, _): system.usesService
        case (.migrate, _): system == .coffer || system == .cofferEmbedded
        case (.open, _), (.dump, _), (.retype, _): system == .cofferEmbedded || system == .sqlite
        case (.saveWhole, .cofferBus), (.backUp, .cofferBus), (.backUp, .cofferEmbedded): false
        // One process owns the file.
        case (.saveTogether, .cofferEmbedded), (.notify, .cofferEmbedded), (.spread, .cofferEmbedded): false
        default: true
        }
    }
}

extension Step {
    /// Measures the step once.
    func measure(in world: World) throws -> [Metric: Double] {
        switch self {
        case .insert: try Worker(.insert, in: world, store: world.newStoreName()).results()
        case .save: try savers(1, in: world, for: .seconds(2))
        case .saveTogether: try savers(WorkerJob.saverCount, in: world, for: .seconds(3))
        case .find: try finding(in: world)
        case .fetchAll: try fetching(in: world)
        case .notify: try notifying(in: world)
        case .start: try starting(in: world)
        case .idle: try idling(in: world)
        case .readProperties: try reading(in: world)
        case .walk: try walking(in: world)
        case .fire: try firing(in: world)
        case .traverse: try traversing(in: world)
        case .relate: try relating(in: world)
        case .spread: try spreading(in: world)
        case .follow: try following(in: world)
        case .open: try opening(in: world)
        case .saveWhole: try savingWhole(in: world)
        case .dump: try dumping(in: world)
        case .backUp: try backingUp(in: world)
        case .share: try sharing(in: world)
        case .retype: try retyping(in: world)
        case .migrate: try Worker(.migrate, in: world, store: world.newStoreName()).results()
        case .fold: try folding(in: world)
        case .weigh: try weighing(in: world)
        }
    }
}
