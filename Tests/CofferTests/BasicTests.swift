import Coffer
import CofferModel
import FoundationEssentials
import Testing

@Suite struct `Basic use` {
    @Test func `an inserted object is saved and fetched`() throws {
        let world = try World()
        let context = world.context()
        let note = context.insert(Note.self)
        note.title = "Milk"
        #expect(note.rating == 3)
        #expect(note.objectID.isTemporary)
        #expect(context.hasChanges)
        try context.save()
        #expect(!context.hasChanges)
        #expect(note.objectID.primaryKey == 1)
        #expect(note.title == "Milk")
        let other = world.context()
        let found = try other.fetch(
            Note.where(\.title == "Milk" && \.rating > 2).sorted(by: \.title).limit(10))
        #expect(found.map(\.title) == ["Milk"])
        #expect(found.first?.isPinned == false)
        #expect(found.first?.log == ["fetch"])
    }
}
