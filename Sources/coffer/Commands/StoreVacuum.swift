import ArgumentParser
import Coffer
import CofferEmbedded
import Synchronization

/// `coffer store vacuum`: makes a store's file as small as it can be.
struct StoreVacuum: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vacuum",
        abstract: "Make a store's file as small as it can be.",
        discussion: """
            Programs that have it open go on reading, and their saves wait. It takes as much room again on the disk for as long as it \
            lasts. Control-C stops it, and after that, a crash or a full disk the store is as it was.

            Example: coffer store vacuum Codes
            """)

    @Argument(help: "The store's name, or with --embedded the path of its file.", completion: .stores)
    var store: String
    @OptionGroup var options: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let bar = SharedBar("Packing \(store)")
            defer { bar.finish() }
            let made = try options.vacuum(store, bar.advance)
            bar.finish()
            let printer = output.printer(["store", "before", "bytes"])
            try printer.print([.text(store), .integer(made.formerByteCount), .integer(made.byteCount)])
            try printer.finish()
        }
    }
}

extension StoreOptions {
    /// Makes a store smaller.
    fileprivate func vacuum(
        _ store: String, _ progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void
    ) throws -> ServiceConnection.Vacuumed {
        if embedded {
            let coordinator = try openFile(store, mustExist: true, for: .reading(isSealed: false))
            return try coordinator.vacuum(storeNamed: store) { done, total in
                progress(done, total)
                return true
            }
        }
        return try service.finding(store, configuration: configuration) { service in
            try service.vacuumStore(
                named: store, configuration: configuration, application: self.service.application,
                progress: progress)
        }
    }
}

/// A bar whose length is known when it begins, for whichever thread does the work.
private final class SharedBar: Sendable {
    private let title: String
    private let bar = Mutex<ProgressBar?>(nil)

    init(_ title: String) { self.title = title }

    @Sendable func advance(to done: UInt64, of total: UInt64) {
        bar.withLock { bar in
            if bar == nil { bar = ProgressBar(title, total: Int(clamping: total)) }
            bar?.advance(to: Int(clamping: done))
        }
    }

    func finish() { bar.withLock { $0?.finish() } }
}
