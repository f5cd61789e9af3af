import ArgumentParser
import Coffer
import CofferLinux
import CofferModel
import CofferWire

/// `coffer watch`: what others do in a store, as they do it.
struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Print every transaction of a store as it is pushed, one JSON object a line, until interrupted.",
        discussion: """
            With --hold, the objects that fit are read into a context, pushes are merged into it, and lines tell the new values \
            of those that changed; 'roundTrips' says how often merging had to ask the service. An object's 'id' is called \
            'objectID' if a property is called 'id'.

            It ends, with exit code 66, when the store is removed.

            Examples:
              coffer watch Codes | jq -r '.author + ": " + (.inserted | tostring)'
              coffer watch Codes --count 1 --hold Country --where 'alpha_2 == "DE"'
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @Option(parsing: .unconditional, help: "End after this many transactions.")
    var count: Int?
    @Option(
        help: ArgumentHelp(
            "Hold the objects of this entity, and show their new values.", valueName: "entity"),
        completion: .entities)
    var hold: String?
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("Hold only those that fit this predicate.", valueName: "format"))
    var predicate: String?
    @OptionGroup var options: StoreOptions
    @OptionGroup var reading: ReadOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is 1 or more.") }
        if predicate != nil && hold == nil { throw ValidationError("--where needs --hold.") }
    }

    func run() throws {
        try reporting {
            let opened = try options.open(store, for: reading.access)
            let feed = WatchFeed()
            opened.coordinator.addObserver(feed)
            let held = try heldObjects(in: opened)
            let isBrief = (output.chosen ?? .json) != .json
            let columns = TransactionRecord.columns + (hold == nil ? [] : ["held", "roundTrips"])
            let printer = output.printer(columns, standard: .json)
            StandardError.say("Watching '\(store)'")
            var rest = count ?? .max
            while rest > 0 {
                switch feed.next() {
                case .transaction(let transaction):
                    var values = TransactionRecord.values(transaction, opened.model)
                    values.append(TransactionRecord.changes(transaction, opened.model, brief: isBrief))
                    if hold != nil { values += try merged(transaction, held: held, in: opened) }
                    try printer.print(values)
                    try printer.flush()
                    rest -= 1
                case .note(let text): StandardError.say(text)
                case .removal: throw ToolError(.noInput, "The store '\(store)' was removed.")
                }
            }
            try printer.finish()
            withExtendedLifetime(held) {}
        }
    }

    private func heldObjects(in opened: ToolStore) throws -> [ManagedObject] {
        guard let hold else { return [] }
        let entity = try opened.entity(hold)
        let predicate = try predicate.map { format in
            try opened.predicate(format, of: entity)
        }
        return try opened.context.fetch(FetchRequest<ManagedObject>(entityName: entity.name, predicate))
    }

    /// The new values of held objects that a transaction changed, and how often the service was asked for
    /// them.
    private func merged(
        _ transaction: TransactionMessage, held: [ManagedObject], in opened: ToolStore
    ) throws -> [OutputValue] {
        let before = opened.context.statistics.roundTrips
        opened.context.mergePendingChanges()
        var records: [OutputValue] = []
        for group in transaction.changes where group.kind != .insert {
            let keys = Set(group.primaryKeys)
            for object in held where object.objectID.primaryKey.map(keys.contains) ?? false {
                guard object.entity.index == group.entity else { continue }
                let names =
                    group.kind == .delete ? [] : group.properties.map { object.entity.properties[$0].name }
                records.append(.record(try fields(of: object, names, opened)))
            }
        }
        return [.list(records), .integer(opened.context.statistics.roundTrips - before)]
    }

    /// An object's id with its values of these names, or that it was deleted: by the transaction, or by a
    /// later one that was merged with it.
    private func fields(
        of object: ManagedObject, _ names: [String], _ opened: ToolStore
    ) throws -> [(name: String, value: OutputValue)] {
        let id = (name: object.entity.idColumn, value: OutputValue.text(object.objectID.shortName))
        opened.context.lastFaultError = nil
        let values = object.entity.storedNames.filter { names.contains($0) }.map {
            (name: $0, value: OutputValue(object.value(forKey: $0)))
        }
        if object.isDeleted { return [id, ("deleted", .boolean(true))] }
        // What cannot be read must not pass for null.
        if let error = opened.context.lastFaultError { throw error }
        return [id] + values
    }
}

/// Hands what a coordinator tells to the thread that prints it.
///
/// Shared.
final class WatchFeed: CoordinatorObserver {
    enum Item: Sendable {
        case transaction(TransactionMessage)
        case note(String)
        /// The store no longer exists.
        case removal
    }

    private let waiting = ConditionLock<[Item]>([])

    func coordinator(_ coordinator: any PersistentStoreCoordinator, didReport event: CoordinatorEvent) {
        let item: Item
        switch event {
        case .transaction(let transaction, _, _): item = .transaction(transaction)
        case .reload(_, let number):
            item = .note("History was lost: everything may have changed, up to \(number)")
        case .disconnected: item = .note("The service is gone")
        case .reconnected: item = .note("The service is back")
        case .storesWillChange: item = .note("The stores are about to be exchanged")
        case .storesDidChange(isRemoved: true, _, _): item = .removal
        case .storesDidChange, .storeDidReturn: item = .note("The stores were exchanged")
        case .bookmark: return
        }
        waiting.withLock { $0.append(item) }
        waiting.signal()
    }

    /// What came first; waits for it.
    func next() -> Item {
        waiting.wait { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
