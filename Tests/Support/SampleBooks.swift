package import CofferModel

/// The model of books that the store `SampleModel2_V2` of the fixtures was made with.
package enum SampleBooks {
    /// Its entities.
    package static let entities: [EntityDefinition] = [
        EntityDefinition("Writer", isAbstract: true, attributes: [AttributeDefinition("age", .integer16)]),
        EntityDefinition(
            "Author", superentity: "Writer", attributes: [AttributeDefinition("alias", .string)],
            relationships: [
                RelationshipDefinition(
                    "books", to: "Book", inverse: "author", isToMany: true, maximumCount: -1)
            ],
            uniquenessConstraints: [["alias"]]),
        EntityDefinition(
            "Book",
            attributes: [
                AttributeDefinition("frontCover", .transformable), AttributeDefinition("price", .decimal),
                AttributeDefinition(
                    "pagesCount", .integer64, isOptional: true, derivationExpression: "count:(pages)"),
                AttributeDefinition("publishedAt", .date), AttributeDefinition("title", .string),
                AttributeDefinition("uniqueID", .uuid),
            ],
            relationships: [
                RelationshipDefinition(
                    "author", to: "Author", inverse: "books", isOptional: false, minimumCount: 1),
                RelationshipDefinition(
                    "pages", to: "Page", inverse: "book", isToMany: true, isOptional: false, minimumCount: 1,
                    maximumCount: 10_000, deleteRule: .cascade),
            ],
            uniquenessConstraints: [["uniqueID"]]),
        EntityDefinition(
            "GraphicNovel", superentity: "Book",
            attributes: [AttributeDefinition("isBlackAndWhite", .boolean)]),
        EntityDefinition(
            "Page",
            attributes: [
                AttributeDefinition("isBookmarked", .boolean), AttributeDefinition("number", .integer32),
                AttributeDefinition("content", .transformable),
            ],
            relationships: [
                RelationshipDefinition(
                    "book", to: "Book", inverse: "pages", isOptional: false, minimumCount: 1)
            ]),
        EntityDefinition(
            "Feedback",
            attributes: [
                AttributeDefinition("bookID", .uuid),
                AttributeDefinition("comment", .string, isOptional: true),
                AttributeDefinition("authorAlias", .string), AttributeDefinition("rating", .double),
            ]),
    ]
}
