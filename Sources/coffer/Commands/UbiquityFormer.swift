import ArgumentParser
import Coffer
import CofferLinux
import CofferModel

/// `coffer ubiquity former`: what was put aside of shared stores.
struct UbiquityFormerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "former",
        abstract: "Show what was put aside of shared stores, and bring it back.",
        discussion: """
            What a store was served with is kept for 30 days if its container was deleted or another one is in its place, and so is \
            what an application did not want at sign-in. A line for each: 'until' says when it is deleted. --restore joins \
            it into what the store is served with now, as an edit that goes to all machines; it stays here until its time is over.

            Examples:
              coffer ubiquity former --json | jq -r 'select(.name == "Notes") | .number'
              coffer ubiquity former Notes --application org.example.Notes --restore 2
            """)

    @Argument(help: "The store; all stores if it is not given.", completion: .stores) var store: String?
    @Option(parsing: .unconditional, help: "Bring back what has this number.") var restore: UInt64?
    @Option(
        help: ArgumentHelp("Only stores of this application, as a reverse-DNS id.", valueName: "id"),
        completion: .applications)
    var application: String?
    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if restore != nil, store == nil { throw ValidationError("Name the store that --restore is for.") }
    }

    func run() throws {
        try reporting {
            let connection = try ServiceConnection(
                application: ServiceOptions.ownApplication, bus: bus.address)
            let found = try connection.formerContents().filter { content in
                content.store == store ?? content.store
                    && content.application == application ?? content.application
            }
            if let restore { return try bringBack(restore, of: found, over: connection) }
            try print(found, accounts: try connection.accounts())
        }
    }

    private func bringBack(
        _ number: UInt64, of contents: [FormerContent], over connection: ServiceConnection
    ) throws {
        let matching = contents.filter { $0.number == number }
        guard let content = matching.first else {
            throw ToolError(
                .noInput, "Nothing of this number was put aside: 'coffer ubiquity former' lists it.")
        }
        if matching.count > 1 {
            throw ToolError(.usage, "Several applications have such a store: name one with --application.")
        }
        try connection.restore(content)
        StandardError.say("Joined it into the store '\(content.store)'")
    }

    private func print(_ contents: [FormerContent], accounts: [UbiquityAccount]) throws {
        let names = Dictionary(accounts.map { ($0.number, $0.name) }, uniquingKeysWith: { $1 })
        let printer = output.printer(["application", "name", "number", "account", "since", "until", "bytes"])
        for content in contents {
            try printer.print([
                .text(content.application), .text(content.store), .integer(content.number),
                content.account.map { .text(names[$0] ?? "\($0)") } ?? .null,
                .text(DateText.text(of: content.since)), .text(DateText.text(of: content.until)),
                .integer(content.byteCount),
            ])
        }
        try printer.finish()
    }
}
