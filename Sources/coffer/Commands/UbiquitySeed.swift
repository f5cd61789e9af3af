import ArgumentParser
import Coffer

/// `coffer ubiquity seed`: fills a shared store with what an application comes with.
struct UbiquitySeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed",
        abstract: "Fill a shared store with the objects of a store file, once.",
        discussion: """
            Machines that do it at the same time have one copy in the end; what was cut off is done again; what was edited or deleted \
            stays so. BUNDLE is a store in SQLite with the same model, which is only read. Where it was done before, nothing is done.

            Example: coffer ubiquity seed Notes ./Welcome.sqlite --application org.example.Notes
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @Argument(help: "The store file that the objects are in.", completion: .file()) var bundle: String
    @OptionGroup var options: StoreOptions
    @OptionGroup var adoption: AdoptionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try options.requireService() }

    func run() throws {
        try reporting {
            let opened = try ToolStore(try options.openServed(store, for: .writing(adoption)).coordinator)
            guard let coordinator = opened.coordinator as? RemoteCoordinator else {
                throw ToolError(.usage, "Only the service shares stores.")
            }
            var bar: ProgressBar?
            let count = try coordinator.seed(opened.description, from: bundle) { seeded, total in
                let shown = bar ?? ProgressBar("Filling \(store)", total: total)
                bar = shown
                shown.advance(to: seeded)
            }
            bar?.finish()
            let printer = output.printer(["store", "objects", "repeated"])
            try printer.print([.text(store), .integer(count ?? 0), .boolean(count == nil)])
            try printer.finish()
        }
    }
}
