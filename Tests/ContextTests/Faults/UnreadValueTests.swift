import Coffer
import CofferModel
import ContextSupport
import Foundation
import Testing

/// Values in files beside the store are read when a caller asks for one, however their objects were read;
/// until then the tests take the files away.
@Suite struct UnreadValueTests {
    @Test(arguments: Backing.overFiles)
    func `faults, refreshed objects and objects by id read no file before a value is asked for`(
        on backing: Backing
    ) throws {
        try Album.with(photos: 12, on: backing) { container, files in
            let context = container.newContext()
            let other = container.newContext()
            let ids = try context.fetchIDs(.photos)
            let (photos, one) = try files.away {
                let photos = try context.fetch(.photoFaults)
                #expect(photos.photoNames == (0..<12).map { "\($0)" })
                context.refreshAllObjects()
                #expect(photos.photoNames == (0..<12).map { "\($0)" })
                #expect(try context.fetchLazily(.photos).map { $0["name"].text }.count == 12)
                return (photos, try other.existingObject(with: ids[5]))
            }
            #expect(photos.dataNumbers == Array(0..<12))
            #expect(one.dataNumber == 5)
            #expect(context.lastFaultError == nil)
        }
    }

    @Test(arguments: Backing.overFiles)
    func `asking a fault for a large value reads all other values in the same round trip`(
        on backing: Backing
    ) throws {
        try Album.with(photos: 3, on: backing) { container, _ in
            let context = container.newContext()
            let photos = try context.fetch(.photoFaults)
            let before = context.statistics.roundTrips
            #expect(photos[1].dataNumber == 1)
            #expect(photos[1]["name"] == "1" && photos[1].objects(forKey: "album").count == 1)
            #expect(context.statistics.roundTrips == before + 1)
            #expect(photos[0].isFault)
        }
    }

    @Test(arguments: Backing.overFiles)
    func `a prefetch reads no file of a large value, at either end of a relationship`(
        on backing: Backing
    ) throws {
        try Album.with(photos: 20, on: backing) { container, files in
            let (photos, albums) = try files.away {
                let context = container.newContext()
                let album = try #require(try context.fetch(.albums.prefetching("photos")).first)
                let before = context.statistics.roundTrips
                let photos = album.objects(forKey: "photos").sorted {
                    Int($0["name"].text) ?? 0 < Int($1["name"].text) ?? 0
                }
                #expect(photos.photoNames == (0..<20).map { "\($0)" })
                #expect(context.statistics.roundTrips == before)
                let other = container.newContext()
                let again = try other.fetch(.photoFaults.prefetching("album.photos"))
                #expect(again.photoNames == photos.photoNames)
                return (photos, (context, other))
            }
            #expect(photos.dataNumbers == Array(0..<20))
            withExtendedLifetime(albums) {}
        }
    }

    @Test(arguments: Backing.overFiles)
    func `an asynchronous prefetch reads no file of a large value`(
        on backing: Backing
    ) async throws {
        try await withContainerAndFolder(Album.model(), on: backing) { container, folder in
            try Album.fill(container, photos: 5)
            let files = try PhotoFiles(in: folder)
            try FileManager.default.moveItem(atPath: files.path, toPath: files.path + "x")
            let context = container.newContext()
            let albums = try await context.fetchAsync(.albums.prefetching("photos"))
            let photos = albums[0].objects(forKey: "photos")
            #expect(Set(photos.photoNames) == Set((0..<5).map { "\($0)" }))
            try FileManager.default.moveItem(atPath: files.path + "x", toPath: files.path)
            #expect(photos.allSatisfy { $0.dataNumber == Int($0["name"].text) })
        }
    }

    @Test(arguments: Backing.overFiles)
    func `a fetch that asks for large values has them in faults and prefetched objects, too`(
        on backing: Backing
    ) throws {
        try Album.with(photos: 3, on: backing) { container, files in
            let context = container.newContext()
            var request = FetchRequest<ManagedObject>.photoFaults
            request.includesExternalValues = true
            let photos = try context.fetch(request)
            // One value to learn the size, and then the others.
            _ = photos.photoNames
            var albums = FetchRequest<ManagedObject>.albums.prefetching("photos")
            albums.includesExternalValues = true
            let other = container.newContext()
            let album = try #require(try other.fetch(albums).first)
            let lazily = container.newContext()
            let list = try lazily.fetchLazily(request)
            let third = list.map { $0 }
            try files.away {
                #expect(photos.dataNumbers == Array(0..<3))
                #expect(Set(album.objects(forKey: "photos").dataNumbers) == Set(0..<3))
                #expect(third.dataNumbers == photos.dataNumbers)
            }
        }
    }

    @Test(arguments: Backing.overFiles)
    func `requiring an object's values reads the large ones, and a lost file is an error`(
        on backing: Backing
    ) throws {
        try Album.with(photos: 2, on: backing) { container, files in
            let context = container.newContext()
            let photos = try context.fetch(.photos)
            try files.away {
                #expect(throws: CofferError.self) { try photos[0].requireValues() }
                #expect(photos[1].dataNumber == -1 && context.lastFaultError != nil)
            }
            try photos[0].requireValues()
            try files.away { #expect(photos[0].dataNumber == 0) }
            #expect(photos[1].dataNumber == 1)
        }
    }

    @Test(arguments: Backing.overFiles)
    func `faults whose rows are cached fire without the files of their large values`(
        on backing: Backing
    ) throws {
        try Album.with(photos: 10, on: backing) { container, files in
            try files.away {
                let (first, second) = (container.newContext(), container.newContext())
                var request = FetchRequest<ManagedObject>.photos
                request.returnsObjectsAsFaults = true
                let photos = try first.fetch(request)
                #expect(photos.allSatisfy { $0.isFault })
                #expect(photos.photoNames == (0..<10).map { "\($0)" })
                #expect(try second.existingObject(with: photos[3].objectID)["degrees"] == 360)
            }
        }
    }
}
