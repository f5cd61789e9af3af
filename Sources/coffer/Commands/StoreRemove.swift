import ArgumentParser
import Coffer
import CofferEmbedded
import CofferModel

/// `coffer store remove`: deletes a store.
struct StoreRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Delete a store with all that is in it.",
        discussion: """
            A store that some program has open is deleted with --even-if-open only: such programs are asked first, and may save into \
            it, for at most --wait seconds.

            Example: coffer store remove Codes --yes
            """)

    @Argument(help: "The store's name, or with --embedded the path of its file.", completion: .stores)
    var store: String
    @OptionGroup var options: StoreOptions
    @Flag(help: "Do not ask.") var yes = false
    @Flag(help: "Delete it also if others have it open.") var evenIfOpen = false
    @OptionGroup var exchange: ExchangeOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            if !yes {
                guard StandardInput.isTerminal else {
                    throw ToolError(
                        .usage,
                        "This is not a terminal, so nothing can be asked: give --yes to remove '\(store)'.")
                }
                guard StandardInput.confirms("Delete '\(store)' and all that is in it?") else {
                    throw ToolError(.declined, "Nothing was removed.")
                }
            }
            try remove()
            let printer = output.printer(["removed"])
            try printer.print([.text(store)])
            try printer.finish()
        }
    }

    private func remove() throws {
        if options.embedded {
            guard try EmbeddedCoordinator.remove(path: store) else {
                throw ToolError(.noInput, "There is no store '\(store)'.")
            }
        } else {
            try options.service.finding(store, configuration: options.configuration) { service in
                do throws(CofferError) {
                    try service.removeStore(
                        named: store, configuration: options.configuration,
                        application: options.service.application, evenIfOpen: evenIfOpen,
                        wait: exchange.duration)
                } catch {
                    guard case .refused(_, "store_in_use", _, _) = error else { throw error }
                    throw ToolError(error).adding(
                        "With --even-if-open, the programs that have it open are asked first.")
                }
            }
        }
    }
}
