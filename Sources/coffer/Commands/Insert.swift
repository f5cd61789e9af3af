import ArgumentParser
import Coffer
import CofferModel

/// `coffer insert`: makes an object.
struct Insert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Insert an object.",
        discussion: """
            Examples:
              coffer insert Codes Country alpha_2=ZX alpha_3=ZXX name='Nowhere'
              coffer insert Codes Subdivision code=DE-ZX name='Nowhere' country=alpha_2:DE
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @Argument(help: "The entity.", completion: .entities) var entity: String
    @Argument(help: Assignment.help, transform: Assignment.ofProperty) var assignments: [Assignment] = []
    @OptionGroup var writing: WriteOptions
    @OptionGroup var options: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let opened = try options.open(store, author: writing.author, for: .writing(writing.adoption))
            opened.context.mergePolicy = writing.winner.policy
            let entity = try opened.entity(entity)
            let assignment = try ObjectAssignment(assignments, of: entity, in: opened)
            let object = try opened.context.insert(entityNamed: entity.name)
            try assignment.apply(to: object)
            let number = try opened.save()
            let printer = output.printer(["id", "transaction"])
            try printer.print([.text(object.objectID.shortName), number.map { .integer($0) } ?? .null])
            try printer.finish()
        }
    }
}
