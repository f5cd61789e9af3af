import ArgumentParser
import Coffer
import CofferModel
import CofferWire
import FoundationEssentials

/// `coffer history`: who changed what in a store.
struct History: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show who changed what in a store, oldest first.",
        discussion: """
            A consumer is a reader that the store waits for, 14 days after it was heard of last, before it deletes history. With \
            --consumer it is shown what it has not acknowledged yet, and acknowledges that once all is printed. Such a consumer is \
            the tool's own; --consumers lists those of all applications that use the store.

            Examples:
              coffer history Codes --since 120 --format json | jq .author
              coffer history Codes --consumer export --json >> changes.ndjson
              coffer history Codes --consumers
              coffer history Codes --forget export --of-application org.example.App
            """)

    /// So many transactions come with one request.
    private static let page = 500

    @Argument(help: "The store.", completion: .stores) var store: String
    @Option(
        parsing: .unconditional,
        help: "Only transactions with a higher number; those that are kept if it is not given.")
    var since: UInt64?
    @Option(parsing: .unconditional, help: "Print at most this many.")
    var limit: Int?
    @Option(help: ArgumentHelp("Only what this consumer has not acknowledged.", valueName: "name"))
    var consumer: String?
    @Flag(help: "List the consumers, of all applications.") var consumers = false
    @Option(help: ArgumentHelp("Stop keeping history for this consumer.", valueName: "name")) var forget:
        String?
    @Option(
        help: ArgumentHelp(
            "The application whose consumer --forget means, if several have one of that name.",
            valueName: "id"
        ),
        completion: .applications)
    var ofApplication: String?
    @OptionGroup var options: StoreOptions
    @OptionGroup var reading: ReadOptions
    @OptionGroup var adoption: AdoptionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if consumer == "" || forget == "" { throw ValidationError("A consumer has a name.") }
        if let limit, limit < 1 { throw ValidationError("--limit is 1 or more.") }
        let choices = [consumer != nil, consumers, forget != nil, since != nil].count { $0 }
        if choices > 1 { throw ValidationError("One of --since, --consumer, --consumers and --forget.") }
        if ofApplication != nil, forget == nil { throw ValidationError("--of-application needs --forget.") }
        if reading.readOnly, consumer != nil || forget != nil {
            throw ValidationError("What a consumer has is written into the store: not with --read-only.")
        }
    }

    func run() throws {
        try reporting {
            let opened = try options.open(
                store, for: consumer != nil || forget != nil ? .writing(adoption) : reading.access)
            if let forget { try self.forget(forget, opened) }
            if consumers || forget != nil { return try list(opened) }
            let isBrief = output.chosen != .json
            let printer = output.printer(TransactionRecord.columns)
            let known = try consumer.flatMap { name in
                try opened.context.historyConsumers().values.joined().first { $0.name == name }
            }
            var after = since ?? known?.acknowledged ?? 0
            var rest = limit ?? .max
            var hasMore = true
            while hasMore, rest > 0 {
                let request = HistoryRequestMessage(
                    store: opened.description.handle, storeUUID: opened.description.uuid, after: after,
                    limit: min(rest, Self.page))
                switch try opened.coordinator.history(request) {
                case .transactions(let transactions, _, let more):
                    for transaction in transactions {
                        let changes = TransactionRecord.changes(transaction, opened.model, brief: isBrief)
                        try printer.print(TransactionRecord.values(transaction, opened.model) + [changes])
                        after = transaction.number
                    }
                    rest -= transactions.count
                    hasMore = more && !transactions.isEmpty
                case .expired(_, let current, false) where after > current:
                    throw expired(
                        "The store's last transaction is \(current): there is none after \(after) unless the store "
                            + "was replaced.")
                case .expired(let floor, let current, _):
                    // A user who asked for no beginning gets all that is kept.
                    guard since == nil, known == nil, after < floor else {
                        throw expired(
                            "That history is not there: it begins after \(floor), and ends with \(current).")
                    }
                    after = floor
                }
            }
            try printer.finish()
            if let consumer {
                let token = HistoryToken(numbers: [opened.description.uuid: after])
                try opened.context.acknowledgeHistory(upTo: token, consumer: consumer)
            }
        }
    }

    /// Why there is no such history, and what helps.
    private func expired(_ text: String) -> ToolError {
        guard let consumer else {
            return ToolError(.noInput, "\(text) Without --since all is shown that is kept.")
        }
        return ToolError(
            .noInput,
            "\(text) So the consumer misses changes for good: read the whole store again, and then have it begin with what is kept, "
                + "by 'coffer history \(store) --forget \(consumer)'.")
    }

    private func forget(_ name: String, _ opened: ToolStore) throws {
        let all = try everyConsumer(opened).filter { $0.name == name }
        let meant = all.filter { ofApplication == nil || $0.application == ofApplication }
        let applications = all.map { "'\($0.application)'" }.joined(separator: " and ")
        guard let only = meant.first else {
            let others = ofApplication.map { " of '\($0)', but for one of \(applications)" } ?? ""
            throw ToolError(
                .noInput, "The store has no consumer '\(name)'\(all.isEmpty ? "" : others).")
        }
        guard meant.count == 1 else {
            throw ToolError(
                .usage,
                "Several applications have a consumer '\(name)', \(applications): say with --of-application whose."
            )
        }
        _ = try opened.coordinator.consumer(
            ConsumerRequestMessage(
                store: opened.description.handle, name: name, acknowledged: 0, isRemoved: true,
                application: only.application))
    }

    private func list(_ opened: ToolStore) throws {
        let printer = output.printer(["consumer", "application", "acknowledged", "until"])
        for consumer in try everyConsumer(opened) {
            try printer.print([
                .text(consumer.name), .text(consumer.application), .integer(consumer.acknowledged),
                .text(DateText.text(of: Date(timeIntervalSinceReferenceDate: consumer.lease))),
            ])
        }
        try printer.finish()
    }

    /// The consumers of all applications that use the store.
    private func everyConsumer(_ opened: ToolStore) throws -> [HistoryConsumerMessage] {
        try opened.coordinator.consumer(
            ConsumerRequestMessage(
                store: opened.description.handle, name: "", acknowledged: 0, allApplications: true)
        ).consumers
    }
}
