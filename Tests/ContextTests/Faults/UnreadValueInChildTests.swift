import Coffer
import CofferModel
import ContextSupport
import Testing

/// Contexts below others, in which the large values of objects have not been read.
@Suite struct UnreadValueInChildTests {
    @Test(arguments: Backing.overFiles)
    func `a child reads no file before a large value is asked for, however it reads objects`(
        on backing: Backing
    ) throws {
        try Album.with(photos: 8, on: backing) { container, files in
            let parent = container.newContext()
            let child = parent.newChild()
            let grandchild = child.newChild()
            let (photos, others) = try files.away {
                let photos = try child.fetch(.photos)
                #expect(photos.photoNames == (0..<8).map { "\($0)" })
                let faults = try grandchild.fetch(.photoFaults)
                #expect(faults.photoNames == photos.photoNames)
                let album = try #require(try child.fetch(.albums.prefetching("photos")).first)
                #expect(album.objects(forKey: "photos").count == 8)
                #expect(try grandchild.existingObject(with: photos[3].objectID)["degrees"] == 360)
                return (photos, faults)
            }
            #expect(others.dataNumbers == Array(0..<8))
            // The parent has read them by now.
            try files.away { #expect(photos.dataNumbers == others.dataNumbers) }
        }
    }

    @Test(arguments: Backing.overFiles)
    func `a child's save of another property leaves an unread large value as it is`(
        on backing: Backing
    ) throws {
        try Album.with(photos: 2, on: backing) { container, files in
            let parent = container.newContext()
            let child = parent.newChild()
            let photos = try child.fetch(.photos)
            try files.away {
                photos[0]["name"] = "0b"
                try child.save()
                child.delete(photos[1])
                try child.save()
                try parent.save()
            }
            #expect(photos[0].dataNumber == 0)
            let reader = container.newContext()
            let now = try reader.fetch(.photos)
            #expect(now.photoNames == ["0b"] && now.dataNumbers == [0])
        }
    }

    @Test(arguments: Backing.overFiles)
    func `a child's change of an unread large value is saved, and conflicts with one above`(
        on backing: Backing
    ) throws {
        try Album.with(photos: 2, on: backing) { container, _ in
            let parent = container.newContext()
            let (child, sibling) = (parent.newChild(), parent.newChild())
            let photos = try child.fetch(.photos)
            let theirs = try sibling.fetch(.photos)
            photos[0]["data"] = Album.data(7)
            try child.save()
            photos[1]["data"] = Album.data(7)
            theirs[1]["data"] = Album.data(5)
            try sibling.save()
            #expect(throws: CofferError.self) { try child.save() }
            child.rollback()
            child.mergePendingChanges()
            #expect(photos.dataNumbers == [7, 5])
            try parent.save()
            let reader = container.newContext()
            #expect(try reader.fetch(.photos).dataNumbers == [7, 5])
        }
    }

    @Test(arguments: Backing.overFiles)
    func `a child shows a large value that its parent changed or merged`(on backing: Backing) throws {
        try Album.with(photos: 2, on: backing) { container, _ in
            let parent = container.newContext()
            let child = parent.newChild()
            let photos = try child.fetch(.photos)
            try parent.fetch(.photos)[0].setValue(Album.data(7), forKey: "data")
            let other = container.newContext()
            try other.fetch(.photos)[1].setValue(Album.data(5), forKey: "data")
            try other.save()
            parent.mergePendingChanges()
            child.mergePendingChanges()
            #expect(photos.dataNumbers == [7, 5])
            try parent.save()
            child.mergePendingChanges()
            #expect(photos.dataNumbers == [7, 5])
        }
    }
}
