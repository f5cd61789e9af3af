import CofferModel
import CofferStores
import TestSupport
import Testing

/// Relationships to many objects that have no inverse.
@Suite struct OwnedSetMigrationTests {
    private static func book(_ pages: RelationshipDefinition?, _ back: RelationshipDefinition? = nil)
        -> [EntityDefinition]
    {
        [
            EntityDefinition(
                "Book", attributes: [AttributeDefinition("title", .string, isOptional: true)],
                relationships: pages.map { [$0] } ?? []),
            EntityDefinition(
                "Page", attributes: [AttributeDefinition("number", .integer64, isOptional: true)],
                relationships: back.map { [$0] } ?? []),
        ]
    }

    private static let set = RelationshipDefinition("pages", to: "Page", isToMany: true)
    private static let list = RelationshipDefinition("pages", to: "Page", isToMany: true, isOrdered: true)
    private static let one = RelationshipDefinition("pages", to: "Page")
    private static let both = (
        RelationshipDefinition("pages", to: "Page", inverse: "books", isToMany: true),
        RelationshipDefinition("books", to: "Book", inverse: "pages", isToMany: true)
    )

    private static let forms = [book(set), book(list), book(one), book(both.0, both.1)]

    @Test(arguments: [0, 1, 2, 3], [0, 1, 2, 3])
    func `members stay, as far as the new form has room for them`(from: Int, to: Int) throws {
        // With another entity before, so that the owner's number is another one.
        let new = Self.forms[to] + [EntityDefinition("Appendix")]
        try withMigration(from: Self.forms[from], to: new) { harness in
            var generator = Seed(17).generator()
            try RandomObjects.fill(harness, &generator)
            #expect(try harness.compare("form \(from) to \(to)"))
        }
    }
}
