import Coffer
import CofferModel
import CofferWire
import Synchronization
import Testing

/// What stores say of the other ends of relationships, which may be objects of entities that cannot be there.
@Suite struct WrongEntityTests {
    /// A note in a folder, of which the store then says that its folder and its cover are the first object of
    /// `entity`.
    private func withNote(
        in entity: String, _ body: (World, Note, Folder) throws -> Void
    ) throws {
        let world = try World()
        let writer = world.context()
        let (folder, note) = (writer.insert(Folder.self), writer.insert(Note.self))
        let (tag, cover) = (writer.insert(Tag.self), writer.insert(Picture.self))
        (note.title, folder.name, tag.name, note.cover) = ("n", "f", "t", cover)
        let second = writer.insert(Note.self)
        second.title = "second"
        try writer.save()
        let (notes, wrong) = (note.entity.familyIndices, UInt32(try index(entity, in: world)))
        world.coordinator.state.withLock { state in
            state.changesRows = { rows in
                // Dictionaries have no keys, and need not say of which entity they are.
                guard rows.primaryKeys.isEmpty || notes.contains(rows.entity) else { return }
                for place in rows.columns.indices {
                    guard case .references = rows.columns[place].values else { continue }
                    var builder = ColumnBuilder(referencesOf: rows.columns[place].property)
                    for _ in 0..<rows.rowCount { builder.append(reference: 1, entity: wrong) }
                    rows.columns[place] = builder.finish()
                }
            }
        }
        let context = world.context()
        let all = try context.fetch(Note.all)
        let folders = try context.fetch(FetchRequest<Folder>())
        try body(world, try #require(all.first { $0.title == "n" }), try #require(folders.first))
    }

    private func index(_ entity: String, in world: World) throws -> Int {
        try #require(world.coordinator.model.entity(named: entity)).index
    }

    @Test(arguments: ["Tag", "Note", "Reminder"])
    func `an end of another entity is nobody, and another takes its place`(_ entity: String) throws {
        try withNote(in: entity) { world, note, folder in
            #expect(note.folder == nil && note.cover == nil)
            let context = try #require(note.context)
            note.folder = folder
            note.cover = context.insert(Picture.self)
            #expect(context.updatedObjects.count == 2)
            try context.save()
            let request = try #require(world.coordinator.state.withLock { $0.saves.last })
            #expect(request.updates.map(\.entity) == [note.entity.index] && request.setChanges.isEmpty)
            world.coordinator.state.withLock { $0.changesRows = nil }
            let other = world.context()
            let read = try #require(try other.fetch(Note.all).first { $0.title == "n" })
            #expect(read.folder?.objectID == folder.objectID)
            #expect(read.folder?.notes.map(\.title) == ["n"])
            #expect(read.cover != nil)
        }
    }

    @Test(arguments: ["Tag", "Note", "Folder", "Picture"])
    func `an end in a dictionary is of the entity that may be there`(_ entity: String) throws {
        try withNote(in: entity) { world, _, _ in
            let context = world.context()
            for (name, destination) in [("folder", "Folder"), ("cover", "Picture")] {
                var request = Note.all
                request.propertiesToFetch = [name]
                if entity == destination {
                    let found = try context.fetchDictionaries(request).compactMap { $0[name] }
                    #expect(found.contains { $0 != .null })
                    continue
                }
                let error = #expect(throws: CofferError.self) { try context.fetchDictionaries(request) }
                guard case .protocolViolation = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
        }
    }

    @Test func `a member of another entity is refused`() throws {
        let world = try World()
        let writer = world.context()
        let (folder, note) = (writer.insert(Folder.self), writer.insert(Note.self))
        (note.title, note.folder) = ("n", folder)
        try writer.save()
        let context = world.context()
        let read = try #require(try context.fetch(FetchRequest<Folder>()).first)
        let tag = UInt32(try index("Tag", in: world))
        world.coordinator.state.withLock { state in
            state.changesMembers = { reply in
                reply.entities = reply.entities.map { _ in tag }
                reply.batches = []
            }
        }
        #expect(read.notes.isEmpty)
        guard case .protocolViolation? = context.lastFaultError else {
            Issue.record("\(String(describing: context.lastFaultError))")
            return
        }
    }
}
