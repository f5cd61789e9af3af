import Coffer
import CofferLinux
import CofferModel
import Testing

@Suite struct `Background contexts` {
    @Test func `work runs on the context's own thread, and errors come back`()
        async throws
    {
        let world = try World()
        let background = try BackgroundContext(coordinator: world.coordinator, name: "importer")
        let thread = await background.perform { _ in WorkerThread.currentName }
        #expect(thread == "importer")
        await #expect(throws: CofferError.self) {
            try await background.perform { context in
                _ = context.insert(Note.self)
                try context.save()
            }
        }
    }

    @Test func `what one saves is merged by another when it arrives`() async throws {
        let world = try World()
        let writer = try BackgroundContext(coordinator: world.coordinator, name: "writer")
        let reader = try BackgroundContext(coordinator: world.coordinator, name: "reader")
        let stream = await reader.perform { $0.notifications }
        let id = try await writer.perform { context in
            context.register(Note.self)
            let note = context.insert(Note.self)
            note.title = "Milk"
            try context.save()
            return note.objectID
        }
        for await notification in stream {
            if case .didMerge(let inserted, _, _, _) = notification {
                #expect(inserted == [id])
                break
            }
        }
        let title = try await reader.perform { try $0.existingObject(with: id)["title"] }
        #expect(title == .string("Milk"))
    }

    @Test func `many at once do not disturb each other`() async throws {
        let world = try World()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let background = try BackgroundContext(coordinator: world.coordinator, name: "b\(number)")
                group.addTask {
                    for _ in 0..<20 {
                        try await background.perform { context in
                            context.insert(Note.self).title = "\(number)"
                            try context.save()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try world.context().count(for: Note.all) == 160)
    }
}
