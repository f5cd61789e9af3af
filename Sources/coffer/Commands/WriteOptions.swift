import ArgumentParser
import Coffer

/// Which values win where somebody else changed the same objects.
enum Winner: String, ExpressibleByArgument, CaseIterable {
    case error
    case store
    case object
    case overwrite
    case rollback

    var policy: MergePolicy {
        switch self {
        case .error: .error
        case .store: .mergeByPropertyStoreTrump
        case .object: .mergeByPropertyObjectTrump
        case .overwrite: .overwrite
        case .rollback: .rollback
        }
    }
}

/// How a command saves.
struct WriteOptions: ParsableArguments {
    @Option(
        name: .customLong("merge-policy"),
        help: ArgumentHelp(
            "What wins where somebody else changed the same objects meanwhile: 'error' (nothing), 'store' or 'object' (property "
                + "by property), 'overwrite' or 'rollback' (whole objects). It also says what happens where another object already has a value that no "
                + "two may have: with 'object' and 'overwrite' the other one is deleted.", valueName: "policy"
        ))
    var winner = Winner.error

    @Option(help: "The author of the save, for the store's history.") var author = ""
}
