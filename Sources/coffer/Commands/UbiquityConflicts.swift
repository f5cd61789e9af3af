import ArgumentParser
import Coffer
import CofferFormats
import CofferLinux
import CofferModel

/// `coffer ubiquity conflicts`: what merging with other machines overruled.
struct UbiquityConflictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "Show what merging with other machines overruled in a store, and undo it.",
        discussion: """
            A line for each property that one machine set and another one set otherwise without having seen that, the oldest first, for \
            90 days. 'kind': value (another value stayed), move (both moves together would make a circle, or two partners of one), edit \
            (the object was deleted), deletion (the object stays) or merge (two objects became one). --undo saves what was lost as an \
            ordinary edit, which goes to all machines.

            Examples:
              coffer ubiquity conflicts Notes --json | jq -r 'select(.own) | .lost'
              coffer ubiquity conflicts Notes --undo 12
            """)

    private static let fields = [
        "number", "kind", "object", "property", "lost", "kept", "lostBy", "lostAt", "keptBy", "keptAt", "own",
        "undone",
    ]

    @Argument(help: "The store.", completion: .stores) var store: String
    @Option(parsing: .unconditional, help: "Undo the conflict of this number.") var undo: UInt64?
    @OptionGroup var options: StoreOptions
    @OptionGroup var adoption: AdoptionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try options.requireService() }

    func run() throws {
        try reporting {
            let opened = try ToolStore(
                try options.openServed(
                    store, for: undo == nil ? .reading(isSealed: false) : .writing(adoption)
                )
                .coordinator)
            guard let coordinator = opened.coordinator as? RemoteCoordinator else {
                throw ToolError(.usage, "Only the service shares stores.")
            }
            if let undo {
                let number = try coordinator.undoConflict(undo, ofStore: opened.description.handle)
                StandardError.say(
                    number == 0 ? "It was undone before" : "Saved what was lost, as transaction \(number)")
                return
            }
            let printer = output.printer(Self.fields)
            for conflict in try coordinator.conflicts(of: opened.description) {
                try print(conflict, to: printer)
            }
            try printer.finish()
        }
    }

    private func print(_ conflict: UbiquitousConflict, to printer: any ResultPrinter) throws {
        let object = conflict.objectID?.shortName ?? conflict.entityName
        let values = conflict.values.isEmpty ? [nil] : conflict.values.map(Optional.some)
        for value in values {
            try printer.print([
                .integer(conflict.number), .text(conflict.kind.rawValue), .text(object),
                .text(value?.property ?? conflict.property), value?.lost.map { OutputValue($0) } ?? .null,
                value?.kept.map { OutputValue($0) } ?? .null, .text(conflict.lost.peer),
                .text(DateText.text(of: conflict.lost.date)), .text(conflict.kept.peer),
                conflict.kept.peer.isEmpty ? .null : .text(DateText.text(of: conflict.kept.date)),
                .boolean(conflict.isOwn), .boolean(conflict.isUndone),
            ])
        }
    }
}
