import ArgumentParser
import Coffer
import CofferLinux
import CofferModel
import FoundationEssentials

/// `coffer store copy`: makes a new store of any type with all that is in a store.
struct StoreCopy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Make a new store of any type with all that is in a store, while others read and write it.",
        discussion: """
            The new store has a UUID of its own, so objects have new ids: '--json' tells how they became others. Values, relationships, \
            their order and what applications noted about the store stay. A copy in SQLite keeps history, too; with --plain it has nothing \
            but what Core Data itself would write. The file gets its name when it is whole and was read through; Control-C leaves nothing. \
            The store stays as it is, also one of Core Data's, which is only read.

            'coffer store backup' makes the same store again instead, with the same ids, faster.

            Examples:
              coffer store copy Codes --type xml codes.xml
              coffer store copy Codes --type sqlite --plain CodesForMac.sqlite
              coffer store copy NoteStore.sqlite --embedded --type binary notes.binary
            """)

    @Argument(help: "The store's name, or with --embedded the path of its file.", completion: .stores)
    var store: String
    @Argument(help: "The file to make; nothing may have that name.", completion: .file()) var file: String
    @Option(
        help: ArgumentHelp("How the new store keeps its objects: sqlite, binary or xml.", valueName: "type"),
        transform: Self.type)
    var type: StoreType
    @Flag(help: "Leave history behind, and what only Coffer keeps.") var plain = false
    @Option(
        help: ArgumentHelp(
            "The configuration of the model that the new store keeps, if it is another.",
            valueName: "name"))
    var asConfiguration: String?
    @OptionGroup var options: StoreOptions
    @OptionGroup var output: OutputOptions

    /// A type whose stores have files.
    static func type(_ text: String) throws -> StoreType {
        if let type = StoreType(rawValue: text), type != .memory { return type }
        throw ValidationError("A file is of the type sqlite, binary or xml, not '\(text)'.")
    }

    func run() throws {
        try reporting {
            var bar: ProgressBar?
            defer { bar?.finish() }
            let made = try options.copy(
                store, to: file, type: type, isPlain: plain, asConfiguration: asConfiguration
            ) { copied, total in
                let shown = bar ?? ProgressBar("Copying \(store)", total: Int(clamping: total))
                shown.advance(to: Int(clamping: copied))
                bar = shown
            }
            bar?.finish()
            try made.show(named: "file", file, type, with: output)
        }
    }
}

extension ServiceConnection.StoreCopy {
    /// Shows what was made, its place under the name of that column, and tells what stayed behind.
    func show(
        named column: String, _ place: String, _ type: StoreType, with output: OutputOptions
    ) throws {
        for sentence in leftOut { StandardError.say("coffer: \(sentence)") }
        for value in missingValues { StandardError.say("coffer: a value was lost before: \(value)") }
        let printer = output.printer([
            column, "type", "objects", "number", "formerUUID", "uuid", "keyOffsets",
        ])
        let offsets = keyOffsets.sorted { $0.key < $1.key }.map { "\($0.key)+\($0.value)" }
        try printer.print([
            .text(place), .text(type.rawValue), .integer(objectCount), .integer(number),
            .text(formerUUID.uuidString), .text(uuid.uuidString), .text(offsets.joined(separator: " ")),
        ])
        try printer.finish()
    }
}
