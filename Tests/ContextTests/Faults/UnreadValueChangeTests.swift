import Coffer
import CofferModel
import ContextSupport
import Testing

/// Changes, saves, conflicts and undo of objects whose large values have not been read.
@Suite struct UnreadValueChangeTests {
    private func theirs(
        _ container: PersistentContainer, _ number: Int, _ values: [String: AttributeValue]
    ) throws {
        let context = container.newContext()
        let photo = try context.fetch(.photos)[number]
        for (key, value) in values { try photo.setValue(value, forKey: key) }
        try context.save()
    }

    private func stored(_ container: PersistentContainer) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>.photos
        request.includesExternalValues = true
        return try container.newContext().fetch(request)
    }

    @Test(
        arguments: [MergePolicy.error, .overwrite, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump],
        Backing.overFiles)
    func `a save of another property leaves an unread large value as it is`(
        policy: MergePolicy, on backing: Backing
    ) throws {
        try Album.with(photos: 3, on: backing) { container, files in
            let context = container.newContext()
            context.mergePolicy = policy
            let photos = try context.fetch(.photoFaults)
            try files.away {
                photos[0]["name"] = "0b"
                try context.save()
                context.refresh(photos[1], mergeChanges: true)
                photos[1]["name"] = "1b"
                try context.save()
            }
            #expect(photos.dataNumbers == Array(0..<3))
            #expect(try stored(container).dataNumbers == Array(0..<3))
            #expect(try files.count == 3)
        }
    }

    @Test(arguments: Backing.overFiles)
    func `an overwrite leaves a newer large value that was not read`(on backing: Backing) throws {
        try Album.with(photos: 2, on: backing) { container, files in
            let context = container.newContext()
            context.automaticallyMergesChanges = false
            context.mergePolicy = .overwrite
            let photos = try context.fetch(.photos)
            try theirs(container, 0, ["data": Album.data(9), "name": "theirs"])
            photos[0]["name"] = "0 mine"
            try context.save()
            let now = try stored(container)
            #expect(now[0]["name"] == "0 mine" && now[0].dataNumber == 9)
            #expect(photos[0].dataNumber == 9)
        }
    }

    @Test(arguments: Backing.overFiles)
    func `a large value is overwritten unread, and its old file is removed`(on backing: Backing) throws {
        try Album.with(photos: 2, on: backing) { container, files in
            let context = container.newContext()
            let photos = try context.fetch(.photos)
            let before = context.statistics.roundTrips
            photos[0]["data"] = Album.data(7)
            photos[1]["data"] = .null
            #expect(context.statistics.roundTrips == before)
            try context.save()
            #expect(photos[0].dataNumber == 7 && photos[1].dataNumber == -1)
            #expect(try stored(container).dataNumbers == [7, -1])
            #expect(try files.count == 1)
        }
    }

    /// The changes of others, and whether a change of unread data conflicts with them once they are merged.
    struct Blind: Sendable, CustomStringConvertible {
        var theirs: [String: AttributeValue]
        var isConflict: Bool
        var description: String { theirs.keys.sorted().joined(separator: " ") }
    }

    @Test(
        arguments: [
            Blind(theirs: ["name": "0b"], isConflict: false),
            Blind(theirs: ["data": Album.data(5)], isConflict: true),
            Blind(theirs: ["data": Album.data(7)], isConflict: false),
        ], Backing.overFiles)
    func `a change of an unread large value conflicts with a change that is merged under it`(
        _ blind: Blind, on backing: Backing
    ) throws {
        for isRead in [false, true] {
            try Album.with(photos: 1, on: backing) { container, _ in
                let context = container.newContext()
                let photo = try context.fetch(.photos)[0]
                if isRead { #expect(photo.dataNumber == 0) }
                photo["data"] = Album.data(7)
                try theirs(container, 0, blind.theirs)
                context.mergePendingChanges()
                if blind.isConflict {
                    #expect(throws: CofferError.self) { try context.save() }
                    context.mergePolicy = .mergeByPropertyStoreTrump
                    try context.save()
                    #expect(photo.dataNumber == 5)
                } else {
                    try context.save()
                    #expect(try stored(container).dataNumbers == [7])
                }
            }
        }
    }

    @Test(arguments: [false, true], Backing.overFiles)
    func `a row that is fetched again does not hide that others changed a large value`(
        isRead: Bool, on backing: Backing
    ) throws {
        try Album.with(photos: 1, on: backing) { container, _ in
            let context = container.newContext()
            context.automaticallyMergesChanges = false
            let photo = try context.fetch(.photos)[0]
            if isRead { #expect(photo.dataNumber == 0) }
            photo["data"] = Album.data(7)
            try theirs(container, 0, ["data": Album.data(5), "name": "0b"])
            // The row is newer now, and comes without the large value.
            #expect(try context.fetch(.photos)[0]["name"] == "0b")
            do {
                try context.save()
                Issue.record("their value was overwritten")
            } catch CofferError.conflicts(let conflicts) {
                #expect(conflicts.first?.stored?["data"] == Album.data(5))
                #expect(conflicts.first?.wanted == ["data": Album.data(7)])
            }
            #expect(try stored(container).dataNumbers == [5])
        }
    }

    @Test(arguments: Backing.overFiles)
    func `an unread large value is judged by what it was where the store wins`(on backing: Backing) throws {
        try Album.with(photos: 1, on: backing) { container, _ in
            let context = container.newContext()
            context.mergePolicy = .mergeByPropertyStoreTrump
            let photo = try context.fetch(.photos)[0]
            photo["data"] = Album.data(7)
            try theirs(container, 0, ["name": "0b"])
            try context.save()
            #expect(try stored(container).dataNumbers == [7])
            #expect(photo["name"] == "0b")
        }
    }

    @Test(arguments: Backing.overFiles)
    func `a large value is of the same moment as the other values, whenever it is read`(on backing: Backing)
        throws
    {
        try Album.with(photos: 2, on: backing) { container, _ in
            let context = container.newContext()
            context.automaticallyMergesChanges = false
            let photos = try context.fetch(.photoFaults)
            #expect(photos[0]["name"] == "0")
            try theirs(container, 0, ["name": "0b", "data": Album.data(8)])
            // The other values are older; reading the large one brings the row as it is now.
            #expect(photos[0]["name"] == "0")
            #expect(photos[0].dataNumber == 8)
            #expect(photos[0]["name"] == "0b")
            context.mergePendingChanges()
            #expect(photos[0].dataNumber == 8 && photos[0]["name"] == "0b")
        }
    }

    @Test(arguments: Backing.overFiles)
    func `a pinned state has its own large values, whatever was read before`(on backing: Backing) throws {
        try Album.with(photos: 3, on: backing) { container, _ in
            let (pinning, context) = (container.newContext(), container.newContext())
            try pinning.setQueryGeneration(from: .current)
            let pinned = try pinning.fetch(.photoFaults)
            #expect(pinned.photoNames == ["0", "1", "2"])
            try theirs(container, 0, ["name": "0b", "data": Album.data(8)])
            let deleter = container.newContext()
            deleter.delete(try deleter.fetch(.photos)[1])
            try deleter.save()
            #expect(pinned.dataNumbers == Array(0..<3))
            #expect(pinned[0]["name"] == "0")
            // The present is read first, then the context moves back to the pinned state.
            let photo = try context.fetch(.photos)[0]
            #expect(photo["name"] == "0b")
            try context.setQueryGeneration(from: pinning.queryGenerationToken)
            #expect(photo.dataNumber == 0 && photo["name"] == "0")
            try context.setQueryGeneration(from: nil)
            #expect(photo["name"] == "0b" && photo.dataNumber == 8)
        }
    }

    @Test(arguments: Backing.overFiles)
    func `undo brings back large values that nobody had read`(on backing: Backing) throws {
        try Album.with(photos: 3, on: backing) { container, _ in
            let context = container.newContext()
            context.undoManager = ContextUndoManager()
            let photos = try context.fetch(.photos)
            photos[0]["data"] = Album.data(9)
            context.processPendingChanges()
            context.undo()
            #expect(photos[0].dataNumber == 0 && !context.hasChanges)
            photos[0]["data"] = Album.data(9)
            try context.save()
            context.undo()
            try context.save()
            #expect(try stored(container).dataNumbers == Array(0..<3))
            context.delete(photos[1])
            try context.save()
            context.undo()
            try context.save()
            #expect(try stored(container).dataNumbers == Array(0..<3))
        }
    }

    @Test(arguments: Backing.overFiles)
    func `a change whose old large value cannot be read is not undone to null`(on backing: Backing) throws {
        try Album.with(photos: 1, on: backing) { container, files in
            let context = container.newContext()
            context.undoManager = ContextUndoManager()
            let photo = try context.fetch(.photos)[0]
            try files.away { photo["data"] = Album.data(9) }
            context.undo()
            #expect(photo.dataNumber == 9)
        }
    }

    @Test(arguments: Backing.overFiles)
    func `rollback and refresh leave a large value to be read`(on backing: Backing) throws {
        try Album.with(photos: 2, on: backing) { container, _ in
            let context = container.newContext()
            let photos = try context.fetch(.photos)
            photos[0]["data"] = Album.data(9)
            photos[1]["data"] = Album.data(9)
            context.refresh(photos[1], mergeChanges: true)
            #expect(photos[1]["name"] == "1" && photos[1].dataNumber == 9)
            context.rollback()
            #expect(photos.dataNumbers == Array(0..<2))
        }
    }

    @Test(arguments: Backing.overFiles)
    func `a batch update of a large value reaches contexts that have not read it`(on backing: Backing) throws
    {
        try Album.with(photos: 2, on: backing) { container, _ in
            let context = container.newContext()
            let photos = try context.fetch(.photos)
            let other = container.newContext()
            _ = try other.execute(
                BatchUpdate(entityName: "Photo", set: ["data": Album.data(6)]))
            try backing.mergeBatch(into: context) { photos.dataNumbers == [6, 6] }
        }
    }
}
