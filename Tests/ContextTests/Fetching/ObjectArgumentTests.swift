import Coffer
import CofferModel
import ContextSupport
import Testing

@Suite struct ObjectArgumentTests {
    @Test(arguments: Backing.all)
    func `objects are arguments of predicate formats, as their ids are`(on backing: Backing) throws {
        let model = try ManagedObjectModel {
            Entity("Note") {
                Field("code", .string)
                One("parent", "Note", inverse: "children")
                Many("children", "Note", inverse: "parent")
            }
        }
        try withContainer(model, on: backing) { container in
            let context = container.newContext()
            let (parent, child) = try (
                context.make("Note", ["code": "parent"]), context.make("Note", ["code": "child"])
            )
            try child.setObjects([parent], forKey: "parent")
            try context.save()
            func codes(_ format: String, _ argument: any QueryArgument) throws -> [String] {
                let request = try FetchRequest<ManagedObject>(entityName: "Note").matching(format, argument)
                return try context.fetch(request).map { $0["code"].text }
            }
            #expect(try codes("parent == %@", parent) == ["child"])
            #expect(try codes("SELF == %@", child.objectID) == ["child"])
            #expect(try codes("parent IN %@", [parent, child]) == ["child"])
        }
    }
}
