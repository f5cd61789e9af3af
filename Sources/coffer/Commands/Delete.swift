import ArgumentParser
import Coffer
import CofferModel

/// `coffer delete`: deletes objects.
struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Delete objects, all in one transaction, and what the model's delete rules take with them.",
        discussion: """
            Examples:
              coffer delete Codes Country --where 'alpha_2 == "XX"'
              coffer delete Codes Country --id Country/p12
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @Argument(help: "The entity.", completion: .entities) var entity: String
    @OptionGroup var selection: Selection
    @Flag(help: "Delete them in the service, without reading them first; no version is compared.") var batch =
        false
    @OptionGroup var writing: WriteOptions
    @OptionGroup var options: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let opened = try options.open(store, author: writing.author, for: .writing(writing.adoption))
            opened.context.mergePolicy = writing.winner.policy
            let request = try selection.request(try opened.entity(entity), opened)
            if batch {
                var delete = BatchDelete(entityName: entity, request.predicate)
                delete.resultType = .count
                let result = try opened.context.execute(delete)
                return try show(result.count ?? 0, result.transactions.values.max())
            }
            let objects = try opened.context.fetch(request)
            for object in objects { opened.context.delete(object) }
            try show(objects.count, try opened.save())
        }
    }

    private func show(_ count: Int, _ number: UInt64?) throws {
        let printer = output.printer(["deleted", "transaction"])
        try printer.print([.integer(count), number.map { .integer($0) } ?? .null])
        try printer.finish()
    }
}
