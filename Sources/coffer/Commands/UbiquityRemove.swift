import ArgumentParser
import Coffer

/// `coffer ubiquity remove`: removes a shared store for all machines.
struct UbiquityRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a shared store with its content, from all machines of the account.",
        discussion: """
            The content goes from the account's folder, and what this machine has of it. Programs that have the store open are asked \
            first, and may save for at most --wait seconds. Other machines are told when their folder has it: their stores are empty then, \
            and keep what they had aside for 30 days. 'coffer store remove' takes a store from this machine alone.

            Example: coffer ubiquity remove Notes --application org.example.Notes --yes
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var options: StoreOptions
    @OptionGroup var exchange: ExchangeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try options.requireService() }

    func run() throws {
        try reporting {
            if !yes {
                guard StandardInput.isTerminal else {
                    throw ToolError(
                        .usage,
                        "This is not a terminal, so nothing can be asked: give --yes to remove '\(store)'.")
                }
                guard StandardInput.confirms("Remove '\(store)' and all that is in it from all machines?")
                else { throw ToolError(.declined, "Nothing was removed.") }
            }
            let count = try options.service.finding(store, configuration: options.configuration) { service in
                try service.removeUbiquitousContent(
                    ofStore: store, configuration: options.configuration,
                    application: options.service.application, wait: exchange.duration)
            }
            let printer = output.printer(["removed", "objects"])
            try printer.print([.text(store), .integer(count)])
            try printer.finish()
        }
    }
}
