import ArgumentParser
import Coffer

/// Which values win if another client changed the same objects.
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
            "What wins if another program changed the same objects meanwhile: 'error' (nothing), 'store' or 'object' (property "
                + "by property), 'overwrite' or 'rollback' (whole objects). It also says what happens if another object already has a value that no "
                + "two may have: with 'object' and 'overwrite' the other one is deleted.", valueName: "policy"
        ))
    var winner = Winner.error

    @Option(help: "The author of the save, for the store's history.") var author = ""
    @OptionGroup var adoption: AdoptionOptions
}

/// What a command that writes does with a file that Coffer did not make.
struct AdoptionOptions: ParsableArguments {
    @Flag(
        help: """
            Write also if Coffer did not make the store's file: it gets tables of Coffer's, and keeps what it has. A file without \
            history gets history tracking: an application that opens it without NSPersistentHistoryTrackingKey can only read it then. \
            Without --adopt the user at a terminal is asked, and a script is refused.
            """)
    var adopt = false

    @Option(
        name: .customLong("copy-first"),
        help: ArgumentHelp("Copy such a file to this one before it is written.", valueName: "file"),
        completion: .file())
    var copyFirst: String?
}
