import Coffer
import CofferModel
import FoundationEssentials
import TestSupport
import Testing

/// Values in files beside a store of the service: they cross the channel when a client asks for one.
@Suite(.serialized) struct UnreadValueProcessTests {
    /// A service with an album of photos, and containers as processes of their own would have them.
    private struct Gallery {
        let service: ServiceUnderTest

        func container() throws -> PersistentContainer {
            let model = try ManagedObjectModel {
                Entity("Album") { Many("photos", "Photo", inverse: "album", deleteRule: .nullify) }
                Entity("Photo") {
                    Field("number", .integer32)
                    Field("data", .binary).externalStorage()
                    One("album", "Album", inverse: "photos")
                }
            }
            let container = try PersistentContainer(
                name: "Gallery", model: model, application: "org.coffer.Tests",
                bus: .explicit(service.bus.address))
            try container.loadStores()
            return container
        }

        func fill(_ container: PersistentContainer, _ count: Int) throws {
            let context = container.newContext()
            let album = try context.insert(entityNamed: "Album")
            for number in 0..<count {
                let photo = try context.insert(entityNamed: "Photo")
                photo["number"] = .integer(Int64(number))
                photo["data"] = Self.data(number)
                try photo.setObjects([album], forKey: "album")
            }
            try context.save()
        }

        static func data(_ number: Int) -> AttributeValue {
            .binary([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 150_000))
        }

        /// Calls `body` while no file of a value is there.
        func withoutFiles<Result>(_ body: () throws -> Result) throws -> Result {
            let all = try FileManager.default.subpathsOfDirectory(atPath: service.data)
            let path = "\(service.data)/\(try #require(all.first { $0.hasSuffix("_EXTERNAL_DATA") }))"
            try FileManager.default.moveItem(atPath: path, toPath: path + "-away")
            defer { try? FileManager.default.moveItem(atPath: path + "-away", toPath: path) }
            return try body()
        }
    }

    private static var photos: FetchRequest<ManagedObject> {
        FetchRequest(entityName: "Photo").sorted(by: "number")
    }

    private func withGallery(_ count: Int, _ body: (Gallery, PersistentContainer) throws -> Void) throws {
        try withService { service in
            let gallery = Gallery(service: service)
            let container = try gallery.container()
            try gallery.fill(container, count)
            try body(gallery, container)
        }
    }

    @Test
    func `faults and prefetches of the service read no file, and the cache serves the second client`() throws
    {
        try withGallery(30) { gallery, _ in
            let (first, second) = (try gallery.container(), try gallery.container())
            let contexts = (first.newContext(), second.newContext(), first.newContext())
            var request = Self.photos
            request.returnsObjectsAsFaults = true
            let photos = try gallery.withoutFiles {
                let photos = try contexts.0.fetch(request)
                #expect(photos.map { $0["number"] } == (0..<30).map { .integer($0) })
                let hits = try gallery.service.counter("CacheHits", ofStore: "Gallery")
                #expect(hits >= 30, "faults are answered from what the fetch left in the cache")
                let others = photos.map { contexts.1.object(with: $0.objectID) }
                #expect(others.map { $0["number"] } == (0..<30).map { .integer($0) })
                #expect(try gallery.service.counter("CacheHits", ofStore: "Gallery") > hits)
                let albums = try contexts.2.fetch(
                    FetchRequest<ManagedObject>(entityName: "Album").prefetching("photos"))
                #expect(albums[0].objects(forKey: "photos").count { $0["number"] != .null } == 30)
                #expect(try gallery.service.counter("CacheBytes", ofStore: "Gallery") < 100_000)
                return photos
            }
            #expect(photos.map { $0["data"] } == (0..<30).map { Gallery.data($0) })
        }
    }

    @Test
    func `after the service was killed, what was changed meanwhile is read, and what was not is kept`() throws
    {
        try withGallery(4) { gallery, writing in
            let reading = try gallery.container()
            let (context, writer) = (reading.newContext(), writing.newContext())
            let photos = try context.fetch(Self.photos)
            let theirs = try writer.fetch(Self.photos)
            photos[3]["data"] = Gallery.data(9)
            try gallery.service.kill9()
            theirs[0]["data"] = Gallery.data(7)
            theirs[1]["number"] = .integer(1)
            theirs[1]["data"] = Gallery.data(8)
            try writer.save()
            try context.merge {
                theirs[2]["number"] = .integer(2)
                theirs[2]["data"] = Gallery.data(6)
                try writer.save()
            }
            #expect(photos.map { $0["data"] } == [7, 8, 6, 9].map { Gallery.data($0) })
            try context.save()
            #expect(try writer.fetch(Self.photos)[3]["data"] == Gallery.data(9))
            #expect(context.lastFaultError == nil)
        }
    }
}
