import ArgumentParser
import Coffer
import CofferModel

/// `coffer update`: changes objects.
struct Update: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change objects, all in one transaction.",
        discussion: """
            If another program changes the same objects between reading and saving, nothing is written, the values of both \
            are shown, and the exit code is 75; --merge-policy says otherwise.

            'updated' counts those that were chosen and changed, 'changed' all that the save writes: those at the other ends of \
            relationships, too.

            Examples:
              coffer update Codes Country --where 'alpha_2 == "DE"' name=Germany flag=
              coffer update Codes Country --id Country/p12 name=Allemagne --confirm
              coffer update Codes Country --all --batch flag= --merge-policy object
              coffer update Codes Region --id Region/p1 countries+=alpha_2:DE
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @Argument(help: "The entity.", completion: .entities) var entity: String
    @Argument(help: Assignment.help, transform: Assignment.ofProperty) var assignments: [Assignment]
    @OptionGroup var selection: Selection
    @Flag(help: "Show how many objects would change, and ask before they are saved.") var confirm = false
    @Flag(help: "Change them in the service, without reading them first; no version is compared.") var batch =
        false
    @OptionGroup var writing: WriteOptions
    @OptionGroup var options: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let opened = try options.open(store, author: writing.author, for: .writing(writing.adoption))
            opened.context.mergePolicy = writing.winner.policy
            let entity = try opened.entity(entity)
            let assignment = try ObjectAssignment(assignments, of: entity, in: opened)
            if batch { return try runBatch(in: opened, of: entity, assigning: assignment) }
            let objects = try opened.context.fetch(try selection.request(entity, opened))
            for object in objects { try assignment.apply(to: object) }
            let (changed, count) = (
                opened.context.updatedObjects.count,
                opened.context.updatedObjects.intersection(objects).count
            )
            let others = changed > count ? ", and \(changed - count) objects besides" : ""
            if confirm, changed > 0, !StandardInput.confirms("Change \(count) of '\(entity.name)'\(others)?")
            {
                throw ToolError(.declined, "Nothing was changed.")
            }
            let number = try opened.save()
            let printer = output.printer(["updated", "transaction", "changed"])
            try printer.print([
                .integer(count), number.map { .integer($0) } ?? .null, .integer(changed),
            ])
            try printer.finish()
        }
    }
}

extension Update {
    private func runBatch(
        in opened: ToolStore, of entity: EntityDescription, assigning assignment: ObjectAssignment
    ) throws {
        if confirm { throw ToolError(.usage, "--confirm and --batch do not go together.") }
        var update = BatchUpdate(
            entityName: entity.name, try selection.request(entity, opened).predicate,
            set: try assignment.constants())
        update.resultType = .count
        let result = try opened.context.execute(update)
        let printer = output.printer(["updated", "transaction", "changed"])
        // The service counts those that were named alone.
        try printer.print([
            .integer(result.count ?? 0), result.transactions.values.max().map { .integer($0) } ?? .null,
            .null,
        ])
        try printer.finish()
    }
}
