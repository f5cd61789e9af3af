import Coffer

final class Note: ManagedObject, ModeledObject {
    struct Properties {
        let title = Attribute<String>("title")
        let stars = Attribute<Int>("stars")
    }
    static let properties = Properties()
}

@main @MainActor
struct Notes {
    static func main() async throws {
        let model = try ManagedObjectModel {
            Entity("Note") {
                Field("title", .string)
                Field("stars", .integer16).default(0).optional()
                Unique("title")
            }
        }
        let container = try PersistentContainer(name: "Notes", model: model, application: "org.example.Notes")
        try await container.loadStores()  // The bus starts the service here.
        let context = container.viewContext
        let (command, title) = (CommandLine.arguments[1], CommandLine.arguments[2])

        if command == "add" {
            context.insert(Note.self).title = title
            return try context.save()  // Returns once the note is durable.
        }
        guard let note = try context.fetch(Note.where(\.title == title)).first else {
            return print("no such note")
        }
        if command == "star" {
            note.stars += 1
            return try context.save()
        }
        print(note.title, String(repeating: "★", count: note.stars))
        for await case .didMerge in context.notifications {
            // Another process saved; the push brought the values, so reading them needs no call.
            print(note.title, String(repeating: "★", count: note.stars))
            if note.stars > 1 { return }
        }
    }
}
