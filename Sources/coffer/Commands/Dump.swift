import ArgumentParser
import CofferEmbedded
import CofferLinux
import CofferModel
import CofferStores

extension DumpFormat: ExpressibleByArgument {}

/// `coffer dump`: all objects of a store's file.
struct Dump: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print all objects of a store's file, of Coffer or of Core Data.",
        discussion: """
            Nothing is changed, neither the file nor its folder. Values have the types of the model: dates are ISO 8601, UUIDs \
            texts, data base 64 (in SQL blobs), and relationships ids such as Author/p1. Objects come by entity and key, and \
            are of one state, whatever is saved meanwhile.

            As JSON, one object a line with entity, id and values; as CSV, of one entity only; as SQL, one transaction that \
            sqlite3 reads. Where Ctrl-C or an error ends it, what was printed is closed, so that it can be read (SQL takes \
            itself back), and the exit code is not 0. The exit code is 65 if files of values are missing: these are null. It is 65 too \
            where the file is damaged: the dump goes on behind a bad page, and tells at the end which objects are left out.

            Examples:
              coffer dump Photos.sqlite --entity Album --format json | jq .values.title
              coffer dump Photos.sqlite --entity Album --format csv
              coffer dump Photos.sqlite --format sql | sqlite3 plain.db
            """)

    @Argument(help: "The store's file.", completion: .file()) var file: String
    @Option(help: ArgumentHelp("Only objects of this entity, and of none that inherits from it."))
    var entity: String?
    @Option(help: "'json', 'csv', 'xml' or 'sql'.") var format: DumpFormat
    @Option(
        help: ArgumentHelp(
            "The model, as for 'coffer store add', if the file keeps none.", valueName: "file"),
        completion: .file())
    var model: String?
    @Option(
        name: .customLong("store-configuration"),
        help: ArgumentHelp("The configuration of the model that the store keeps.", valueName: "name"))
    var configuration: String = ManagedObjectModel.defaultConfiguration

    func run() throws {
        try reporting {
            let interruption = try Interruption()
            let dump = try StoreDump.open(
                path: file, model: model.map { try ModelOptions.lenient.read($0) },
                configuration: configuration, entity: entity, format: format)
            if format == .csv, dump.entityCount != 1 {
                throw ToolError(.usage, "CSV has one entity: say which with --entity.")
            }
            if dump.isModelGuessed { GuessedModelNotice.say(of: file) }
            interruption.note("The dump was not whole.")
            try print(dump, until: interruption)
            for omission in dump.omissions { StandardError.say("coffer: \(omission)") }
            if dump.missingValueCount > 0 || dump.unreadable.count > 0 { throw Self.error(of: dump) }
        }
    }

    private func print(_ dump: StoreDump, until interruption: Interruption) throws {
        let output = StandardOutput()
        // Of a damaged file the objects may not be countable, and are written all the same.
        let total = StandardError.isTerminal ? (try? dump.objectTotal()) ?? 0 : 0
        let progress = ProgressBar(file, total: total)
        defer { progress.finish() }
        var bytes: [UInt8] = []
        do {
            while try dump.writeNext(to: &bytes) {
                try output.write(bytes: bytes)
                bytes.removeAll(keepingCapacity: true)
                progress.advance(to: dump.objectCount)
                try interruption.check()
            }
            try output.write(bytes: bytes)
        } catch {
            dump.abandon(&bytes)
            // The first error says more than that the reader has gone.
            try? output.write(bytes: bytes)
            throw error
        }
    }

    private static func error(of dump: StoreDump) -> ToolError {
        var parts: [String] = []
        if dump.unreadable.count > 0 {
            parts.append(
                list(
                    "The file is damaged, and the dump has all of it but this:", dump.unreadable.texts,
                    of: dump.unreadable.count))
            let pages = dump.damagedPages()
            if !pages.isEmpty { parts.append(list("SQLite's check says:", pages, of: pages.count)) }
        }
        if dump.missingValueCount > 0 {
            parts.append(
                list(
                    "\(dump.missingValueCount) values are null in the dump, since they cannot be read:",
                    dump.missingValues, of: dump.missingValueCount))
        }
        return ToolError(.data, parts.joined(separator: "\n"))
    }

    /// A title and lines, of which there are `count`.
    private static func list(_ title: String, _ lines: [String], of count: Int) -> String {
        let shown = lines.prefix(20).map { "\n  \($0)" }.joined()
        let rest = count - min(lines.count, 20)
        return title + shown + (rest > 0 ? "\n  and \(rest) more" : "")
    }
}
