import Coffer
import CofferLinux
import CofferModel
import TestSupport

/// A container with one context, and what happened to them.
///
/// Confined.
final class Session {
    private let container: PersistentContainer
    let context: ManagedObjectContext
    private let events = EventLog()
    /// Objects by the names that commands give them.
    var objects: [String: ManagedObject] = [:]
    /// What the last fetch found.
    private var found: [ManagedObject] = []
    private var merged: [ContextNotification] = []
    /// The titles of new entries that were lost.
    private var lost: [String] = []
    private var token: NotificationToken?
    private var background: BackgroundContext?
    /// What the background context was told of its stores.
    private let notices = ConditionLock<[String]>([])

    init(_ command: [String: String]) throws {
        var pragmas: [String: String] = [:]
        pragmas["wal_autocheckpoint"] = command["checkpointPages"]
        pragmas["cache_size"] = command["cachePages"]
        pragmas["journal_mode"] = command["journalMode"]
        container = try PersistentContainer(
            name: "process-client", model: try Self.model(version: command["version"]),
            application: "org.coffer.Tests",
            stores: [
                StoreDescription(
                    name: command["store"] ?? "Log", pragmas: pragmas,
                    migrationRoute: try Self.route(command["route"]))
            ])
        try container.loadStores()
        context = container.newContext(name: command["name"] ?? "", author: command["name"] ?? "")
        container.coordinator.addObserver(events)
        token = context.onNotification { [weak self] notification in
            guard let self else { return }
            merged.append(notification)
            if case .didLoseChanges(let inserted, _, _) = notification {
                lost += inserted.map { text(self.context.object(with: $0).value(forKey: "title")) ?? "" }
            }
        }
    }

    /// The model of these tests; Tests/ProcessTests/Crashes/LogModel.swift repeats it.
    ///
    /// Version 2 has ranks in the place of bodies; 3 is that of `LogRoute`.
    static func model(version: String?) throws -> ManagedObjectModel {
        if version == "3" { return try LogRoute.model(3) }
        return try log(version: version)
    }

    private static func route(_ name: String?) throws -> MigrationRoute {
        switch name {
        case "mapping": .mapping(LogRoute.mapping)
        case "stages": .stages(try LogRoute.stages())
        case "last stages": .stages(Array(try LogRoute.stages().suffix(2)))
        default: .inferred
        }
    }

    private static func log(version: String?) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Entry") {
                Field("writer", .integer64).default(0)
                Field("sequence", .integer64).default(0)
                Field("title", .string).optional()
                if version == "2" {
                    Field("rank", .integer64).default(7)
                } else {
                    Field("body", .string).optional()
                }
                Unique("writer", "sequence")
            }
            Entity("Picture") { Field("data", .binary).externalStorage() }
        }
    }
}

extension Session {
    /// Does what a command says.
    func run(_ command: [String: String], _ output: LinePrinter) throws -> [String: String] {
        switch command["do"] {
        case "insert": try insert(command)
        case "set": try set(command)
        case "value": try value(command)
        case "save": try save()
        case "obtain": try obtain(command)
        case "seek": try seek(command)
        case "policy": try choosePolicy(command)
        case "rollback": rollback()
        case "refresh": try refresh(command)
        case "fetch": try fetch(command)
        case "count":
            [
                "count":
                    "\(try context.count(for: FetchRequest<ManagedObject>(entityName: command["entity"] ?? "Entry")))"
            ]
        case "saveLoop": try saveLoop(command, output)
        case "updateLoop": try updateLoop(command, output)
        case "titles": titles()
        case "batchInsert", "batchUpdate", "batchDelete": try batch(command)
        case "keepUnsaved": try keepUnsaved(command)
        case "waitForNotice": waitForNotice(command)
        case "waitForMerge": waitForMerge(command)
        case "waitForEvents": waitForEvents(command)
        case "statistics": statistics()
        case "lost": losses()
        default: throw ProcessClientError.unknownCommand(command["do"] ?? "")
        }
    }

    private static var all: FetchRequest<ManagedObject> { FetchRequest(entityName: "Entry") }

    private func insert(_ command: [String: String]) throws -> [String: String] {
        let object = try context.insert(entityNamed: "Entry")
        objects[command["as"] ?? ""] = object
        return try set(command)
    }

    func object(_ command: [String: String]) throws -> ManagedObject {
        guard let object = objects[command["as"] ?? ""] else { throw ProcessClientError.noObject }
        return object
    }

    private func set(_ command: [String: String]) throws -> [String: String] {
        let object = try object(command)
        for key in ["title", "body"] {
            if let text = command[key] { try object.setValue(.string(text), forKey: key) }
        }
        if let count = command["picture"].flatMap({ Int($0) }) {
            let name = "picture of \(command["as"] ?? "")"
            let picture = try objects[name] ?? context.insert(entityNamed: "Picture")
            objects[name] = picture
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
            try picture.setValue(.binary(bytes), forKey: "data")
        }
        for key in ["writer", "sequence"] {
            if let number = command[key].flatMap({ Int64($0) }) {
                try object.setValue(.integer(number), forKey: key)
            }
        }
        return [:]
    }

    func value(_ command: [String: String]) throws -> [String: String] {
        let object = try object(command)
        var answer = ["isFault": "\(object.isFault)"]
        for key in ["title", "body"] { answer[key] = text(object.value(forKey: key)) }
        answer["changed"] = object.changedValues.keys.sorted().joined(separator: ",")
        return answer
    }

    private func save() throws -> [String: String] {
        merged = []
        try context.save()
        for case .didSave(_, _, _, let number, _) in merged { return ["number": "\(number)"] }
        return [:]
    }

    private func choosePolicy(_ command: [String: String]) throws -> [String: String] {
        guard let policy = MergePolicy.allCases.first(where: { "\($0)" == command["policy"] }) else {
            throw ProcessClientError.missing("policy")
        }
        context.mergePolicy = policy
        context.automaticallyMergesChanges = command["merges"] != "false"
        return [:]
    }

    private func rollback() -> [String: String] {
        context.rollback()
        return [:]
    }

    private func refresh(_ command: [String: String]) throws -> [String: String] {
        context.refresh(try object(command), mergeChanges: false)
        return [:]
    }

    /// Fetches all, and names the object of a sequence.
    private func fetch(_ command: [String: String]) throws -> [String: String] {
        found = try context.fetch(Self.all)
        if let name = command["as"], let sequence = command["sequence"].flatMap({ Int64($0) }) {
            objects[name] = found.first { $0.value(forKey: "sequence") == .integer(sequence) }
        }
        return ["count": "\(found.count)"]
    }

    /// Saves new entries one by one, and prints each when it is acknowledged.
    private func saveLoop(_ command: [String: String], _ output: LinePrinter) throws -> [String: String] {
        let writer = Int64(command["writer"] ?? "") ?? 0
        let count = Int64(command["count"] ?? "") ?? 0
        for sequence in 0..<count {
            let object = try context.insert(entityNamed: "Entry")
            try object.setValue(.integer(writer), forKey: "writer")
            try object.setValue(.integer(sequence), forKey: "sequence")
            try object.setValue(.string("Entry \(sequence) of \(writer)"), forKey: "title")
            let number = try save()["number"] ?? "?"
            output.print(["writer": "\(writer)", "sequence": "\(sequence)", "number": number])
        }
        let losses = events.all.count { $0.name == "disconnected" }
        return ["done": "\(count)", "losses": "\(losses)"]
    }

    /// Changes the entries of one writer again and again, some at a time, and prints each save when it is
    /// acknowledged.
    private func updateLoop(_ command: [String: String], _ output: LinePrinter) throws -> [String: String] {
        let writer = AttributeValue.integer(Int64(command["writer"] ?? "") ?? 0)
        let own = try context.fetch(Self.all).filter { $0.value(forKey: "writer") == writer }
        var random = Seed(UInt64(command["seed"] ?? "") ?? 0).generator()
        for round in 0..<(Int(command["count"] ?? "") ?? 0) {
            for object in own where Bool.random(using: &random) {
                try object.setValue(.string("\(round)"), forKey: "title")
            }
            if !context.hasChanges { try own.first?.setValue(.string("\(round)"), forKey: "title") }
            output.print(try save())
        }
        return ["done": command["count"] ?? ""]
    }

    /// The titles of the objects that `fetch` found, by writer and sequence.
    private func titles() -> [String: String] {
        var titles: [String: String] = [:]
        for object in found {
            let key = ["writer", "sequence"].map { text(object.value(forKey: $0)) ?? "" }
            titles[key.joined(separator: ":")] = text(object.value(forKey: "title"))
        }
        return titles
    }

    /// Does a batch operation on the entries of one writer.
    private func batch(_ command: [String: String]) throws -> [String: String] {
        let writer = Int64(command["writer"] ?? "") ?? 0
        let predicate = try QueryPredicate(format: "writer == %@", writer)
        let title = AttributeValue.string(command["title"] ?? "")
        let result: BatchResult
        switch command["do"] {
        case "batchInsert":
            let count = Int64(command["count"] ?? "") ?? 0
            var insert = BatchInsert(
                entityName: "Entry",
                objects: (0..<count).map {
                    ["writer": .integer(writer), "sequence": .integer($0), "title": title]
                })
            insert.resultType = .count
            result = try context.execute(insert)
        case "batchUpdate":
            var update = BatchUpdate(entityName: "Entry", predicate, set: ["title": title])
            update.resultType = .count
            result = try context.execute(update)
        default:
            var delete = BatchDelete(entityName: "Entry", predicate)
            delete.resultType = .count
            result = try context.execute(delete)
        }
        return ["count": "\(result.count ?? 0)", "number": "\(result.transactions.values.max() ?? 0)"]
    }

    private func losses() -> [String: String] {
        context.mergePendingChanges()
        return ["lost": lost.joined(separator: ",")]
    }

    private func statistics() -> [String: String] {
        let statistics = context.statistics
        return [
            "roundTrips": "\(statistics.roundTrips)", "fetches": "\(statistics.fetches)",
            "faults": "\(statistics.faultsFired)", "merges": "\(statistics.merges)",
        ]
    }
}

// MARK: Waiting

extension Session {
    /// Waits until a transaction with at least this number is known, and merges it.
    private func waitForMerge(_ command: [String: String]) -> [String: String] {
        let number = UInt64(command["number"] ?? "") ?? 0
        guard events.wait(timeout: .seconds(60), until: { $0.contains { $0.reaches(number) } }) else {
            return ["error": "no transaction \(number) came", "kind": "timeout"]
        }
        merged = []
        context.mergePendingChanges()
        var answer = ["merges": "\(merged.count)"]
        for case .didMerge(let inserted, let updated, let deleted, let refreshed) in merged {
            answer["inserted"] = "\(inserted.count)"
            answer["updated"] = "\(updated.count)"
            answer["deleted"] = "\(deleted.count)"
            answer["refreshed"] = "\(refreshed.count)"
        }
        return answer
    }

    /// Keeps a new entry in a background context, and saves it when the stores will change.
    private func keepUnsaved(_ command: [String: String]) throws -> [String: String] {
        let background = try container.newBackgroundContext(name: "background")
        self.background = background
        let title = command["title"] ?? ""
        try background.performAndWait { [notices] context in
            try context.insert(entityNamed: "Entry").setValue(.string(title), forKey: "title")
            let box = TokenBox()
            box.token = context.onNotification { [unowned context] notification in
                withExtendedLifetime(box) {}
                switch notification {
                case .storesWillChange:
                    let saved = Result { try context.save() }
                    notices.withLock { $0.append(saved.isSuccess ? "saved" : "\(saved)") }
                case .storesDidChange: notices.withLock { $0.append("didChange") }
                default: return
                }
                notices.broadcast()
            }
        }
        return [:]
    }

    /// Waits for what the handler of `keepUnsaved` notes, and tells all that it noted so far.
    private func waitForNotice(_ command: [String: String]) -> [String: String] {
        let wanted = command["notice"] ?? ""
        guard let all = notices.wait(timeout: .seconds(60), until: { $0.contains(wanted) ? $0 : nil }) else {
            let noted = notices.withLock { $0.joined(separator: " ") }
            return ["error": "no \(wanted) came, only '\(noted)'", "kind": "timeout"]
        }
        return ["notices": all.joined(separator: " ")]
    }

    /// Waits until an event of a kind came, and tells all that came so far, in order.
    private func waitForEvents(_ command: [String: String]) -> [String: String] {
        let wanted = command["event"] ?? ""
        guard events.wait(timeout: .seconds(60), until: { $0.contains { $0.name == wanted } }) else {
            return ["error": "no \(wanted) came", "kind": "timeout"]
        }
        return ["events": events.all.map(\.name).joined(separator: " ")]
    }
}

/// Keeps a handler's token with the handler.
private final class TokenBox {
    var token: NotificationToken?
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
