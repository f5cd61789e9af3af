import ArgumentParser
import Coffer
import CofferDBus

/// `coffer ubiquity violations`: what the model forbids of a shared store, and merging brought about.
struct UbiquityViolationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "violations",
        abstract: "List objects of a shared store that break a rule of its model.",
        discussion: """
            Each machine keeps the rules; together they may not: two add the last member that a relationship takes, or one deletes what \
            the other needs. Nothing is written, and saves wait meanwhile. What only has not come yet is not listed. A save is refused \
            only for what it makes worse: read the objects, and save what is right.

            A line for each. 'reason' is required, too_small, too_large, no_match, too_few, too_many or key_taken.

            Example:
              coffer ubiquity violations Notes --json | jq -r '.object, .text'
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @OptionGroup var options: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try options.requireService() }

    func run() throws {
        try reporting {
            let reply = try options.askSharing("Violations", ofStore: store)
            let columns = try (1...4).map { try reply.argument($0, \.stringValues) }
            guard let objects = columns.first, columns.allSatisfy({ $0.count == objects.count }) else {
                throw ToolError(
                    .protocolViolation,
                    "The service's answer cannot be understood: it is of another version.")
            }
            let printer = output.printer(["object", "property", "reason", "text"])
            for row in objects.indices { try printer.print(columns.map { .text($0[row]) }) }
            try printer.finish()
            let count = try reply.argument(0, \.uint64Value)
            if count > objects.count {
                throw ToolError(.declined, "There are \(count) in all: repair some of these first.")
            }
        }
    }
}
