import CofferModel
import FoundationEssentials

/// Notes in folders, with tags: the model of most tests here.
func notesModel() throws -> ManagedObjectModel {
    try ManagedObjectModel {
        Entity("Note") {
            Field("title", .string).optional()
            Field("stars", .integer16).default(0).validated(min: 0, max: 5)
            Field("size", .double).default(1)
            Field("price", .decimal).optional()
            Field("weight", .float).optional()
            Field("isDone", .boolean).default(false)
            Field("created", .date).indexed()
            Field("token", .uuid).optional()
            Field("link", .uri).optional()
            Field("body", .binary).optional().externalStorage()
            Field("draft", .string).transient()
            Field("like", .string).optional()
            One("folder", "Folder", inverse: "notes")
            Many("tags", "Tag", inverse: "notes")
            Index("byFolderAndTitle", on: "folder", "title")
        }
        Entity("SpecialNote", parent: "Note") { Field("reason", .string).default("") }
        Entity("Folder") {
            Field("name", .string)
            One("parent", "Folder", inverse: "children")
            Many("children", "Folder", inverse: "parent", deleteRule: .cascade)
            Many("notes", "Note", inverse: "folder", deleteRule: .cascade)
            Unique("name")
        }
        Entity("Tag") {
            Field("name", .string)
            Many("notes", "Note", inverse: "tags")
        }
        Configuration("Local", "Note", "SpecialNote", "Folder", "Tag")
    }
}

/// What `body` throws; `nil` if it throws nothing.
func failure(_ body: () throws(QueryError) -> Void) -> QueryError? {
    do throws(QueryError) {
        try body()
        return nil
    } catch { return error }
}

/// A dictionary that predicates are evaluated on.
final class Subject: PredicateSubject, ExpressibleByDictionaryLiteral {
    let identity = AttributeValue.null
    var values: [String: SubjectValue]

    init(dictionaryLiteral elements: (String, SubjectValue)...) {
        values = Dictionary(uniqueKeysWithValues: elements)
    }

    func value(forKey key: String) throws(QueryError) -> SubjectValue {
        if let value = values[key] { return value }
        throw .unknownKey(key, keyPath: key, entity: "Subject")
    }
}

extension SubjectValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    /// A value as a literal.
    public init(stringLiteral value: String) { self = .value(.string(value)) }
    /// A value as a literal.
    public init(integerLiteral value: Int64) { self = .value(.integer(value)) }
    /// A value as a literal.
    public init(floatLiteral value: Double) { self = .value(.double(value)) }
    /// A value as a literal.
    public init(booleanLiteral value: Bool) { self = .value(.boolean(value)) }
    /// A value as a literal.
    public init(nilLiteral: ()) { self = .value(.null) }
}
