import ArgumentParser
import Coffer
import CofferModel

/// `coffer import`: objects from a JSON file.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Import an array of JSON objects.",
        discussion: """
            The file holds an array of objects, or one object with one such array in it; '-' is standard input. Fields become \
            the attributes of the same name. With --key, objects whose key is in the store already are updated, so that an \
            import can be repeated; each row must have one then.

            --relate RELATIONSHIP=ATTRIBUTE:TEMPLATE relates each object to the one at the other end whose ATTRIBUTE is what \
            TEMPLATE says: text with {FIELD} for a field of the row and {FIELD~1-2} for some of its characters, counted from \
            1. Several for one relationship are tried in their order, and the first that finds an object counts. Objects further \
            on in the same file are found too. Of the objects that rows name, 'related' counts those that were found, 'unrelated' \
            those that do not exist. With --key, a relationship is emptied if the field is null or no object that it names \
            exists, and stays as it is if the field is absent.

            After Ctrl-C it says how many rows are in the store, once the transaction that it is at has ended.

            The disk serves everybody else first; 'coffer status --json' counts that as BackgroundSaves and IdleWork.

            Examples:
              coffer import Codes Country iso_3166-1.json --key alpha_2
              coffer import Codes Subdivision iso_3166-2.json --key code \\
                  --relate 'country=alpha_2:{code~1-2}' \\
                  --relate 'parent=code:{parent}' --relate 'parent=code:{code~1-2}-{parent}'
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @Argument(help: "The entity.", completion: .entities) var entity: String
    @Argument(help: "The file.", completion: .file()) var file: String
    @Option(
        help: ArgumentHelp("The attribute that tells which objects exist already.", valueName: "attribute"))
    var key: String?
    @Option(
        help: ArgumentHelp(
            "How objects are related, as RELATIONSHIP=ATTRIBUTE:TEMPLATE; may be given several times.",
            valueName: "rule"), transform: RelationRule.init(parsing:))
    var relate: [RelationRule] = []
    @Option(help: "Objects in one transaction.") var batch = 500
    @Flag(help: "Print each transaction as soon as it is durable, and no summary.") var each = false
    @Flag(name: .customLong("skip-unknown"), help: "Leave out fields that are not attributes.")
    var skipUnknown = false
    @OptionGroup var writing: WriteOptions
    @OptionGroup var options: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if batch < 1 || batch > 100_000 { throw ValidationError("--batch is 1 to 100000.") }
    }

    func run() throws {
        try reporting {
            let rows = try ImportFile.rows(path: file)
            let interruption = try Interruption()
            let opened = try options.open(store, author: writing.author, for: .writing(writing.adoption))
            opened.context.mergePolicy = writing.winner.policy
            opened.context.savesInBackground = true
            let importer = try Importer(
                try opened.entity(entity), in: opened, key: key, rules: relate, skipsUnknown: skipUnknown)
            let progress = ProgressBar("Importing \(entity)", total: rows.count)
            defer { progress.finish() }
            let saved = output.printer(["transaction", "rows"])
            interruption.note(Importer.saved(0))
            try importer.run(rows, batch: batch, unless: { try interruption.check() }) { count, transaction in
                interruption.note(Importer.saved(count))
                progress.advance(to: count)
                guard each, let transaction else { return }
                try saved.print([.integer(transaction), .integer(count)])
                try saved.flush()
            }
            progress.finish()
            if each { return try saved.finish() }
            try printOutcome(importer, seconds: progress.seconds)
        }
    }

    private func printOutcome(_ importer: Importer, seconds: Double) throws {
        let outcome = importer.outcome
        let names = importer.relations.map(\.description.name)
        let related = OutputValue.record(names.map { ($0, .integer(outcome.related[$0] ?? 0)) })
        let unrelated = OutputValue.record(names.map { ($0, .integer(outcome.unrelated[$0] ?? 0)) })
        let printer = output.printer([
            "entity", "inserted", "updated", "unchanged", "related", "unrelated", "transactions", "seconds",
        ])
        try printer.print([
            .text(importer.entity.name), .integer(outcome.inserted), .integer(outcome.updated),
            .integer(outcome.unchanged), related,
            unrelated,
            .integer(outcome.transactions), .number("\((seconds * 1000).rounded() / 1000)"),
        ])
        try printer.finish()
    }
}
