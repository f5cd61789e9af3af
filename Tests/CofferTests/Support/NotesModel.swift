import Coffer
import CofferModel
import FoundationEssentials

/// Notes in folders, with tags, pictures and reminders: every kind of relationship.
enum NotesModel {
    static func make() throws -> ManagedObjectModel {
        let folder = EntityDefinition(
            "Folder", attributes: [AttributeDefinition("name", .string, isOptional: true)],
            relationships: [
                RelationshipDefinition(
                    "notes", to: "Note", inverse: "folder", isToMany: true, deleteRule: .cascade)
            ])
        let note = EntityDefinition(
            "Note",
            attributes: [
                AttributeDefinition("title", .string), AttributeDefinition("body", .string, isOptional: true),
                AttributeDefinition("rating", .integer16, defaultValue: .integer(3)),
                AttributeDefinition("kind", .integer32, isOptional: true),
                AttributeDefinition("created", .date, isOptional: true),
                AttributeDefinition("isPinned", .boolean, defaultValue: .boolean(false)),
                AttributeDefinition("score", .double, isOptional: true),
                AttributeDefinition("price", .decimal, isOptional: true),
                AttributeDefinition("token", .uuid, isOptional: true),
                AttributeDefinition("link", .uri, isOptional: true),
                AttributeDefinition("data", .binary, isOptional: true),
                AttributeDefinition("scratch", .string, isOptional: true, isTransient: true),
            ],
            relationships: [
                RelationshipDefinition("folder", to: "Folder", inverse: "notes"),
                RelationshipDefinition("tags", to: "Tag", inverse: "notes", isToMany: true),
                RelationshipDefinition("cover", to: "Picture", inverse: "note", deleteRule: .cascade),
            ])
        let reminder = EntityDefinition(
            "Reminder", superentity: "Note", attributes: [AttributeDefinition("due", .date, isOptional: true)]
        )
        let picture = EntityDefinition(
            "Picture", attributes: [AttributeDefinition("name", .string, isOptional: true)],
            relationships: [RelationshipDefinition("note", to: "Note", inverse: "cover")])
        let tag = EntityDefinition(
            "Tag", attributes: [AttributeDefinition("name", .string, isOptional: true)],
            relationships: [RelationshipDefinition("notes", to: "Note", inverse: "tags", isToMany: true)],
            uniquenessConstraints: [["name"]])
        return try ManagedObjectModel(entities: [folder, note, reminder, picture, tag])
    }
}

class Note: ManagedObject, ModeledObject {
    enum Kind: Int, AttributeConvertible {
        case text, picture
        static let valueForNull = Kind.text
    }

    struct Properties {
        let title = Attribute<String>("title")
        let body = Attribute<String?>("body")
        let rating = Attribute<Int>("rating")
        let kind = Attribute<Kind>("kind")
        let created = Attribute<Date?>("created")
        let isPinned = Attribute<Bool>("isPinned")
        let score = Attribute<Double?>("score")
        let price = Attribute<Decimal?>("price")
        let token = Attribute<UUID?>("token")
        let link = Attribute<URL?>("link")
        let data = Attribute<[UInt8]>("data")
        let scratch = Attribute<String?>("scratch")
        let folder = ToOne<Folder>("folder")
        let tags = ToMany<Tag>("tags")
        let cover = ToOne<Picture>("cover")
    }

    static let properties = Properties()
    var log: [String] = []

    override func awakeFromInsert() { log.append("insert") }
    override func awakeFromFetch() { log.append("fetch") }
    override func willSave() { log.append("willSave") }
    override func didSave() { log.append("didSave") }
    override func prepareForDeletion() { log.append("delete") }
}

final class Reminder: Note {}

final class Folder: ManagedObject, ModeledObject {
    struct Properties {
        let name = Attribute<String?>("name")
        let notes = ToMany<Note>("notes")
    }

    static let properties = Properties()
}

final class Tag: ManagedObject, ModeledObject {
    struct Properties {
        let name = Attribute<String?>("name")
        let notes = ToMany<Note>("notes")
    }

    static let properties = Properties()
}

final class Picture: ManagedObject, ModeledObject {
    struct Properties {
        let name = Attribute<String?>("name")
        let note = ToOne<Note>("note")
    }

    static let properties = Properties()
}

/// A coordinator over empty stores in memory, and contexts over it.
struct World {
    let coordinator: ObservedCoordinator

    init(stores: [String] = ["main"]) throws {
        coordinator = try ObservedCoordinator(model: try NotesModel.make(), stores: stores)
    }

    /// A context with all classes registered.
    func context(_ name: String = "test") -> ManagedObjectContext {
        let context = ManagedObjectContext(coordinator: coordinator, name: name)
        context.register(Note.self, Reminder.self, Folder.self, Tag.self, Picture.self)
        return context
    }
}
