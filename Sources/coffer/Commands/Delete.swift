import ArgumentParser
import Coffer
import CofferModel

/// `coffer delete`: deletes objects.
struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Delete objects, all in one transaction, and what the model's delete rules take with them.",
        discussion: "Example: coffer delete Codes Country --where 'alpha_2 == \"XX\"'")

    @Argument(help: "The store.") var store: String
    @Argument(help: "The entity.") var entity: String
    @OptionGroup var selection: Selection
    @OptionGroup var writing: WriteOptions
    @OptionGroup var options: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let opened = try options.open(store, author: writing.author)
            opened.context.mergePolicy = writing.winner.policy
            let objects = try opened.context.fetch(try selection.request(try opened.entity(entity)))
            for object in objects { opened.context.delete(object) }
            let number = try opened.save()
            let printer = output.printer(["deleted", "transaction"])
            try printer.print([.integer(objects.count), number.map { .integer($0) } ?? .null])
            try printer.finish()
        }
    }
}
