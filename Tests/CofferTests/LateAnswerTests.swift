import Coffer
import CofferModel
import Synchronization
import Testing

@MainActor
@Suite struct `Answers that come late` {
    @Test func `what was merged meanwhile is newer than what was prefetched`()
        async throws
    {
        for pushesValues in [true, false] {
            let world = try World()
            world.coordinator.state.withLock { $0.pushesValues = pushesValues }
            let (writer, folder, note) = try world.filled()
            let reader = world.context("reader")
            let found = try await world.fetching(
                FetchRequest<Folder>().prefetching("notes"), in: reader, until: 1
            ) {
                note.title = "new"
                let other = writer.insert(Note.self)
                other.title = "other"
                other.folder = folder
                try writer.save()
                reader.mergePendingChanges()
            }
            #expect(found.first?.notes.map(\.title).sorted() == ["new", "other"])
            let below = try #require(found.first?.notes.first { $0.title == "new" })
            below.title = "newest"
            try reader.save()
        }
    }

    @Test func `what was merged meanwhile is newer than what was fetched`()
        async throws
    {
        let ways: [((FetchProgress) -> Void)?] = [nil, { _ in }]
        for progress in ways {
            let world = try World()
            let (writer, folder, _) = try world.filled()
            let gone = writer.insert(Folder.self)
            try writer.save()
            let reader = world.context("reader")
            let found = try await world.fetching(
                FetchRequest<Folder>(), in: reader, until: progress == nil ? 0 : 1, progress: progress
            ) {
                folder.name = "new"
                writer.delete(gone)
                try writer.save()
                reader.mergePendingChanges()
            }
            #expect(found.filter { !$0.isDeleted }.map(\.name) == ["new"])
            found.first { !$0.isDeleted }?.name = "newest"
            try reader.save()
        }
    }

    @Test func `an answer of a state that was given up meanwhile is asked again`()
        async throws
    {
        let ways: [((FetchProgress) -> Void)?] = [nil, { _ in }]
        for progress in ways {
            let world = try World()
            let (writer, folder, _) = try world.filled()
            let reader = world.context("reader")
            try reader.setQueryGeneration(from: .current)
            let found = try await world.fetching(
                FetchRequest<Folder>(), in: reader, until: progress == nil ? 0 : 1, progress: progress
            ) {
                folder.name = "new"
                try writer.save()
                try reader.setQueryGeneration(from: nil)
            }
            #expect(found.map(\.name) == ["new"])
        }
    }

    @Test
    func `what the context itself saved meanwhile is newer than what was fetched`() async throws {
        let world = try World()
        let (_, folder, _) = try world.filled()
        let reader = world.context("reader")
        let own = try #require(try reader.existingObject(with: folder.objectID) as? Folder)
        let found = try await world.fetching(FetchRequest<Folder>(), in: reader, until: 0) {
            reader.insert(Folder.self).name = "own"
            reader.delete(own)
            try reader.save()
        }
        #expect(found.map(\.name) == ["own"] && found.allSatisfy { !$0.isDeleted })
    }

    @Test func `what a reset dropped meanwhile is newer than what was fetched`()
        async throws
    {
        let world = try World()
        let (writer, folder, _) = try world.filled()
        let reader = world.context("reader")
        let found = try await world.fetching(FetchRequest<Folder>(), in: reader, until: 0) {
            folder.name = "new"
            try writer.save()
            reader.reset()
        }
        #expect(found.map(\.name) == ["new"])
    }

    @Test func `changes of other entities cost no second question`() async throws {
        let world = try World()
        let (writer, _, _) = try world.filled()
        let reader = world.context("reader")
        let answers = Counter()
        let found = try await world.fetching(FetchRequest<Folder>(), in: reader, until: 0) {
            writer.insert(Tag.self).name = "t"
            try writer.save()
            reader.mergePendingChanges()
            world.coordinator.state.withLock { $0.didAnswer = { answers.add() } }
        }
        #expect(found.map(\.name) == ["old"] && answers.count == 0)
    }
}
