import Coffer
import CofferModel
import ContextSupport

/// Authors with articles whose attributes are derived in every way that a store supports.
enum Press {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Author",
                attributes: [
                    AttributeDefinition("name", .string, isOptional: true),
                    derived("nameCopy", .string, "name"),
                    derived("plainName", .string, "canonical:(name)"),
                    derived("articleCount", .integer64, "articles.@count"),
                    derived("wordSum", .integer64, "articles.wordCount.@sum"),
                    derived("weight", .double, "sum:(articles.weight)"),
                    derived("friendCount", .integer32, "count:(friends)"),
                    derived("saved", .date, "now()"),
                ],
                relationships: [
                    RelationshipDefinition(
                        "articles", to: "Article", inverse: "author", isToMany: true, isOrdered: true,
                        deleteRule: .nullify),
                    RelationshipDefinition(
                        "friends", to: "Author", inverse: "friends", isToMany: true, deleteRule: .nullify),
                ]),
            EntityDefinition(
                "Article",
                attributes: [
                    AttributeDefinition("title", .string, isOptional: true),
                    AttributeDefinition("wordCount", .integer32, isOptional: true),
                    AttributeDefinition("weight", .double, isOptional: true),
                    derived("shout", .string, "uppercase:(title)"),
                    derived("authorName", .string, "author.name"),
                    derived("tagCount", .integer64, "tags.@count"),
                    derived("tagPoints", .integer64, "tags.@sum.points"),
                ],
                relationships: [
                    RelationshipDefinition("author", to: "Author", inverse: "articles"),
                    RelationshipDefinition(
                        "tags", to: "Tag", inverse: "articles", isToMany: true, deleteRule: .nullify),
                ]),
            EntityDefinition(
                "Essay", superentity: "Article",
                attributes: [derived("whisper", .string, "lowercase:(author.name)")]),
            EntityDefinition(
                "Tag", attributes: [AttributeDefinition("points", .integer32, isOptional: true)],
                relationships: [
                    RelationshipDefinition(
                        "articles", to: "Article", inverse: "tags", isToMany: true, deleteRule: .nullify)
                ]),
        ])
    }

    private static func derived(
        _ name: String, _ type: AttributeType, _ expression: String
    ) -> AttributeDefinition {
        AttributeDefinition(name, type, isOptional: true, derivationExpression: expression)
    }

    /// The expected derived attributes of an object, computed from their sources; without those of time.
    static func expected(of object: ManagedObject) -> [String: AttributeValue] {
        func text(_ value: AttributeValue?, _ change: (String) -> String = { $0 }) -> AttributeValue {
            if case .string(let text) = value { .string(change(text)) } else { .null }
        }
        func number(_ value: AttributeValue) -> Double {
            switch value {
            case .integer(let number): Double(number)
            case .double(let number): number
            default: 0
            }
        }
        if object.entity.name == "Tag" { return [:] }
        guard object.entity.name == "Author" else {
            let tags = object.objects(forKey: "tags")
            let author = object.objects(forKey: "author").first
            var values: [String: AttributeValue] = [
                "shout": text(object["title"]) { $0.uppercased() }, "authorName": text(author?["name"]),
                "tagCount": .integer(Int64(tags.count)),
                "tagPoints": .integer(Int64(tags.reduce(0) { $0 + number($1["points"]) })),
            ]
            if object.entity.name == "Essay" { values["whisper"] = text(author?["name"]) { $0.lowercased() } }
            return values
        }
        let articles = object.objects(forKey: "articles")
        return [
            "nameCopy": text(object["name"]),
            "plainName": text(object["name"]) {
                $0.lowercased().replacing("é", with: "e").replacing("ö", with: "o")
            },
            "articleCount": .integer(Int64(articles.count)),
            "wordSum": .integer(Int64(articles.reduce(0) { $0 + number($1["wordCount"]) })),
            "weight": .double(articles.reduce(0) { $0 + number($1["weight"]) }),
            "friendCount": .integer(Int64(object.objects(forKey: "friends").count)),
        ]
    }
}
