import ArgumentParser
import Coffer
import CofferDBus

/// `coffer ubiquity verify`: whether what is kept for other machines and the rows say the same.
struct UbiquityVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare what a shared store keeps for other machines with its rows.",
        discussion: """
            Nothing is written; saves wait meanwhile. 'unfolded' counts rows that were saved just now, which are not compared. 'peers' \
            names the machines that have read the same and have something else. Exit code 1 if anything differs, which is a mistake \
            of Coffer: report it.

            Example:
              coffer ubiquity verify Notes --json | jq -r '.differences[]'
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @OptionGroup var options: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try options.requireService() }

    func run() throws {
        try reporting {
            let reply = try options.askSharing("Verify", ofStore: store)
            let differences = try reply.argument(3, \.stringValues)
            let count = try reply.argument(2, \.uint64Value)
            let peers = try reply.argument(4, \.stringValues)
            let printer = output.printer([
                "name", "objects", "unfolded", "differing", "peers", "digest", "differences",
            ])
            try printer.print([
                .text(store), .integer(try reply.argument(0, \.uint64Value)),
                .integer(try reply.argument(1, \.uint64Value)), .integer(count), .texts(peers),
                .text(try reply.argument(5, \.stringValue)), .texts(differences),
            ])
            try printer.finish()
            if count > 0 || !peers.isEmpty {
                throw ToolError(.declined, "What '\(store)' keeps for other machines differs: report it.")
            }
        }
    }
}
