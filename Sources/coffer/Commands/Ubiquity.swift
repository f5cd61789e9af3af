import ArgumentParser
import Coffer
import CofferModel

struct UbiquityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ubiquity",
        abstract: "See how far stores are that several machines share.",
        discussion: """
            A store is shared if its application gives it a name for that, as long as an account is signed in: see 'coffer account'.

            Example: coffer ubiquity status
            """,
        subcommands: [
            UbiquityStatusCommand.self, UbiquityWatchCommand.self, UbiquityVerifyCommand.self,
            UbiquityViolationsCommand.self, UbiquityLogLevelCommand.self,
            UbiquityConflictsCommand.self, UbiquityMonitorCommand.self, UbiquityFormerCommand.self,
            UbiquityRebuildCommand.self, UbiquityRemoveCommand.self, UbiquitySeedCommand.self,
        ])
}

/// `coffer ubiquity status`: the shared stores that are open.
struct UbiquityStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the stores that are open and shared, and how far each is.",
        discussion: """
            A line for each store. 'condition' tells of its container: signed-out, new, there, read-only, full, doubtful, away, emptied, \
            replaced, locked (sealed with a key that is not known here) or newer (of a later format: update Coffer); 'state' of what applications have: local, fallback, asking, live, rebuilding or gone; 'content' of the \
            account's content on this machine: unknown, empty, importing or present. 'unwritten' counts what is not in the container yet, 'waiting' what has to come before other things \
            can be read, 'missing' values of more than 100 KB that have not come. 'saved', 'folded' and 'exported' are numbers of transactions: the last one, and \
            up to which all are written down for others, and in the container; 'broken' counts required relationships and keys that were lost when changes of several \
            machines met ('coffer ubiquity violations' lists them); 'seenBy' tells so much of each other machine, and 'why' what is \
            missing, in words. Two machines whose 'digest' is equal have the same data.

            Example:
              coffer ubiquity status --json | jq -r '.name, .condition'
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let connection = try ServiceConnection(
                application: ServiceOptions.ownApplication, bus: bus.address)
            let printer = output.printer([
                "application", "name", "contentName", "condition", "state", "content", "objects", "peers",
                "unwritten", "waiting", "quarantined", "peer", "folds", "digest", "failure", "missing",
                "saved", "folded", "exported", "seenBy", "why", "path", "broken",
            ])
            for store in try connection.ubiquitousStores() {
                try printer.print([
                    .text(store.application), .text(store.name), .text(store.contentName),
                    .text(store.condition), .text(store.state),
                    store.firstContent.map { .text($0.text) } ?? .null, .integer(store.objectCount),
                    .integer(store.peers.count),
                    .integer(store.unwrittenFoldCount), .integer(store.waitingCount),
                    .integer(store.quarantined.count), .text(store.peer), .integer(store.foldCount),
                    .text(store.digest), store.failure.map { .text($0) } ?? .null,
                    .integer(store.missingValueCount), .integer(store.savedNumber),
                    .integer(store.foldedNumber), .integer(store.exportedNumber),
                    .texts(store.peers.map { "\($0.peer) \($0.seenNumber)" }), .texts(store.missing),
                    .text(store.path), .integer(store.brokenLinkCount),
                ])
            }
            try printer.finish()
        }
    }
}

extension UbiquitousStoreStatus.FirstContent {
    /// A word, and how far it is.
    fileprivate var text: String {
        switch self {
        case .unknown: "unknown"
        case .empty: "empty"
        case .importing(let read, let total): "importing \(read) of \(total)"
        case .present: "present"
        }
    }
}
