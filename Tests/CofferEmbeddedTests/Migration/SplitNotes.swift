import Coffer
import CofferEmbedded
import CofferModel
import CofferStores
import ContextSupport
import Foundation

/// A store whose notes are to become several kinds of objects, which no file follows in its place.
///
/// Notes with pictures get attachments, drafts become an entity of their own, folders keep their notes in
/// order; each attachment must have its note, which is there only once all notes are made.
struct SplitNotes {
    let folder: String
    var type = StoreType.sqlite

    private var fileName: String { "Notes\(type.fileSuffix)" }
    var path: String { "\(folder)/\(fileName)" }

    /// Larger than what stands in a row.
    static let picture = [UInt8](repeating: 7, count: 120_000)
    static let smallPicture: [UInt8] = [1, 2, 3]

    static func old() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Folder") {
                Field("name", .string)
                Many("notes", "Note", inverse: "folder", ordered: true)
            }
            Entity("Note") {
                Field("title", .string).default("")
                Field("stars", .integer16).default(0)
                Field("image", .binary).optional().externalStorage()
                Field("isDraft", .boolean).default(false)
                One("folder", "Folder", inverse: "notes")
            }
        }
    }

    static func new() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Attachment") {
                Field("data", .binary).externalStorage()
                Field("label", .string)
                One("note", "Memo", inverse: "attachments").required()
            }
            Entity("Draft") {
                Field("title", .string).default("")
                One("shelf", "Shelf", inverse: "drafts")
            }
            Entity("Memo") {
                Field("title", .string).default("")
                Field("stars", .double).default(0)
                Field("place", .string).optional()
                Many("attachments", "Attachment", inverse: "note")
                One("shelf", "Shelf", inverse: "memos")
            }
            Entity("Shelf") {
                Field("name", .string)
                Field("count", .integer32).default(0)
                Many("memos", "Memo", inverse: "shelf", ordered: true)
                Many("drafts", "Draft", inverse: "shelf")
            }
        }
    }

    static func mapping(_ change: (inout MappingModel) -> Void = { _ in }) -> MappingModel {
        func made(_ name: String, _ objects: String) -> MappingModel.Value {
            .expression(
                "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"\(name)\", "
                    + "\(objects))")
        }
        var memos = MappingModel.Entity("NoteToMemo", kind: .transform, source: "Note", destination: "Memo")
        memos.predicate = "isDraft == NO"
        memos.attributes = [
            .init("title", .expression("uppercase:($source.title)")),
            .init("stars", .expression("$source.stars * 1.5")),
            .init("place", .expression("$source.folder.name")),
        ]
        var drafts = MappingModel.Entity(
            "NoteToDraft", kind: .transform, source: "Note", destination: "Draft")
        drafts.predicate = "isDraft == YES"
        drafts.attributes = [.init("title", .expression("$source.title"))]
        drafts.relationships = [.init("shelf", made("FolderToShelf", "$source.folder"))]
        var attachments = MappingModel.Entity(
            "NoteToAttachment", kind: .transform, source: "Note", destination: "Attachment")
        attachments.predicate = "image != nil AND isDraft == NO"
        attachments.attributes = [
            .init("data", .expression("$source.image")), .init("label", .expression("\"picture\"")),
        ]
        attachments.relationships = [.init("note", made("NoteToMemo", "$source"))]
        var shelves = MappingModel.Entity(
            "FolderToShelf", kind: .transform, source: "Folder", destination: "Shelf")
        shelves.attributes = [
            .init("name", .expression("$source.name")), .init("count", .expression("$source.notes.@count")),
        ]
        shelves.relationships = [.init("memos", made("NoteToMemo", "$source.notes"))]
        // Attachments come first, and their notes later.
        var mapping = MappingModel(entities: [attachments, memos, drafts, shelves])
        change(&mapping)
        return mapping
    }

    func context(_ model: ManagedObjectModel) throws -> ManagedObjectContext {
        let container = try PersistentContainer.embedded(
            name: "Notes", model: model, folder: folder,
            stores: [StoreDescription(name: "Notes", migratesAutomatically: false, type: type)])
        try container.loadStores()
        return container.newContext()
    }

    /// Makes the store, with so many folders of four notes each.
    func fill(folders: Int = 2) throws {
        let context = try context(Self.old())
        for number in 0..<folders {
            let shelf = try context.make("Folder", ["name": .string("f\(number)")])
            var notes: [ManagedObject] = []
            for (place, title) in ["c", "a", "d", "b"].enumerated() {
                let note = try context.make(
                    "Note", ["title": .string("\(title)\(number)"), "stars": .integer(Int64(place))])
                note["isDraft"] = .boolean(title == "d")
                if title == "a" { note["image"] = .binary(Self.picture) }
                if title == "b" { note["image"] = .binary(Self.smallPicture) }
                notes.append(note)
            }
            try shelf.setObjects(notes, forKey: "notes")
            if number % 100 == 99 { try context.save() }
        }
        _ = try context.make("Note", ["title": "alone", "stars": 9])
        try context.save()
    }

    @discardableResult
    func migrate(
        _ mapping: MappingModel = Self.mapping(),
        policies: [String: () -> any EntityMigrationPolicy] = [:], onlyPlans: Bool = false,
        keepsBackup: Bool = true, opening: StoreOptions = StoreOptions()
    ) throws -> EmbeddedMigration {
        try EmbeddedCoordinator.migrate(
            path: path, to: Self.new(), by: mapping, policies: policies, onlyPlans: onlyPlans,
            keepsBackup: keepsBackup, opening: opening)
    }

    /// What the store has, if it is as it was: a line for each object, in order.
    func oldLines() throws -> [String] {
        let context = try context(Self.old())
        let folders = try context.all("Folder").map { folder in
            "\(folder["name"].text): "
                + folder.objects(forKey: "notes").map { $0["title"].text }.joined(separator: " ")
        }
        let notes = try context.all("Note").map { note in
            "\(note["title"].text) \(note["stars"].text) \(Self.size(note["image"])) \(note["isDraft"])"
        }
        return folders.sorted() + notes.sorted()
    }

    /// What the store has, if it was migrated.
    func newLines() throws -> [String] {
        let context = try context(Self.new())
        func names(_ object: ManagedObject, _ key: String) -> String {
            object.objects(forKey: key).map { $0["title"].text }.joined(separator: " ")
        }
        let shelves = try context.all("Shelf").map { shelf in
            "\(shelf["name"].text) \(shelf["count"].text): \(names(shelf, "memos")) + \(names(shelf, "drafts"))"
        }
        let memos = try context.all("Memo").map { memo in
            "\(memo["title"].text) \(memo["stars"]) \(memo["place"].text) "
                + memo.objects(forKey: "attachments").map { Self.size($0["data"]) }.joined(separator: ",")
        }
        return shelves.sorted() + memos.sorted() + (try context.texts("Draft", "title"))
    }

    private static func size(_ value: AttributeValue) -> String {
        if case .binary(let bytes) = value { "\(bytes.count)" } else { "-" }
    }

    /// The names of what is beside the store's own file, the values in files among them.
    func companions() throws -> Set<String> {
        Set(
            (FileManager.default.subpaths(atPath: folder) ?? []).filter {
                $0 != fileName && !$0.hasSuffix(".lock")
            })
    }
}
