import ArgumentParser
import Coffer
import CofferModel
import CofferWire

/// `coffer history`: who changed what in a store.
struct History: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show who changed what in a store, oldest first.",
        discussion: "Example: coffer history Codes --since 120 --format json | jq .author")

    /// So many transactions come with one request.
    private static let page = 500

    @Argument(help: "The store.") var store: String
    @Option(help: "Only transactions with a higher number; those that are kept where it is not given.")
    var since: UInt64?
    @Option(help: "At most so many.") var limit: Int?
    @OptionGroup var options: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is 1 or more.") }
    }

    func run() throws {
        try reporting {
            let opened = try options.open(store)
            let isBrief = !output.json && output.format != .json
            let printer = output.printer(TransactionRecord.columns)
            var after = since ?? 0
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
                case .expired(let floor, let current, _):
                    // Who asked for no beginning gets all that is kept.
                    guard since == nil, after < floor else {
                        throw CofferError.historyExpired(floor: floor, current: current)
                    }
                    after = floor
                }
            }
            try printer.finish()
        }
    }
}
