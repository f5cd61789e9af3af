import Coffer
import CofferModel
import Testing

/// What a handler of the parent does in a child, and in the parent, while the child's save is under way.
@Suite struct `Changes made while a child saves` {
    private final class Family {
        let parent: ManagedObjectContext
        let child: ManagedObjectContext
        let note: Note
        /// The note in the child, with nothing of it read but its values.
        let own: Note
        let tags: [Tag]
        private var token: NotificationToken?

        init() throws {
            parent = try World().context()
            note = parent.insert(Note.self)
            note.title = "n"
            for name in ["a", "b", "c"] {
                let tag = parent.insert(Tag.self)
                tag.name = name
                if name == "a" { note.tags.insert(tag) }
            }
            try parent.save()
            child = parent.newChild()
            own = try #require(try child.fetch(Note.all).first)
            tags = try child.fetch(FetchRequest<Tag>().sorted(by: \.name))
        }

        /// Saves the child, and does something once the parent has it.
        func save(_ meanwhile: @escaping () -> Void) throws {
            var isDone = false
            token = parent.onNotification { _ in
                if isDone { return }
                isDone = true
                meanwhile()
            }
            try child.save()
            #expect(isDone)
            token = nil
        }

        func stored() -> Set<String?> { Set(note.tags.map(\.name)) }
    }

    @Test func `members that are read after a late change are those that were saved`() throws {
        let family = try Family()
        let (own, tags) = (family.own, family.tags)
        own.tags.insert(tags[1])
        own.tags.remove(tags[0])
        try family.save {
            own.tags.insert(tags[2])
            #expect(Set(own.tags) == [tags[1], tags[2]])
        }
        #expect(family.stored() == ["b"] && Set(own.tags) == [tags[1], tags[2]])
        try family.child.save()
        #expect(family.stored() == ["b", "c"] && !family.child.hasChanges)
    }

    @Test func `a member that was saved and leaves late is not a member any more`() throws {
        let family = try Family()
        let (own, tags) = (family.own, family.tags)
        own.tags.insert(tags[1])
        try family.save {
            own.tags.remove(tags[1])
            #expect(Set(own.tags) == [tags[0]])
        }
        #expect(family.stored() == ["a", "b"])
        try family.child.save()
        #expect(family.stored() == ["a"] && Set(own.tags) == [tags[0]] && !family.child.hasChanges)
    }

    @Test func `what was sent of a late change follows permanent names`() throws {
        let family = try Family()
        let (own, child) = (family.own, family.child)
        #expect(own.tags.count == 1)
        let (new, other) = (child.insert(Picture.self), child.insert(Picture.self))
        let tag = child.insert(Tag.self)
        tag.name = "new"
        own.cover = new
        own.tags.insert(tag)
        try family.save {
            own.cover = other
            own.tags.remove(tag)
            #expect(throws: Never.self) { try family.parent.save() }
        }
        #expect(!new.objectID.isTemporary && own.cover === other && Set(own.tags) == [family.tags[0]])
        #expect(own.committedValues(forKeys: ["cover"])["cover"] == .object(new.objectID))
        child.rollback()
        #expect(own.cover === new && Set(own.tags) == [family.tags[0], tag])
    }
}
