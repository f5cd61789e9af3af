import Coffer
import CofferCoordination
import CofferEmbedded
import CofferLinux
import CofferModel
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// A backup with values beside it in the place of a store whose values are in files, too.
@Suite(.serialized) struct ReplacedValueTests {
    private func container(_ service: ServiceUnderTest) throws -> PersistentContainer {
        let model = try ManagedObjectModel {
            Entity("Photo") {
                Field("number", .integer32)
                Field("data", .binary).externalStorage()
            }
        }
        let container = try PersistentContainer(
            name: "Gallery", model: model, application: "org.coffer.Tests",
            bus: .explicit(service.bus.address))
        try container.loadStores()
        return container
    }

    private func connection(_ service: ServiceUnderTest) throws -> ServiceConnection {
        try ServiceConnection(application: "org.coffer.Tests", bus: .explicit(service.bus.address))
    }

    private func data(_ byte: UInt8) -> AttributeValue { .binary([UInt8](repeating: byte, count: 200_000)) }

    /// The numbers of all photos, with a byte of each one's data.
    private func content(_ service: ServiceUnderTest) throws -> [[Int]] {
        let context = try container(service).newContext()
        return try context.fetch(FetchRequest<ManagedObject>(entityName: "Photo").sorted(by: "number")).map {
            guard case .integer(let number) = $0["number"], case .binary(let bytes) = $0["data"] else {
                return []
            }
            return bytes.count == 200_000 ? [Int(number), Int(bytes[0])] : []
        }
    }

    /// Makes a store, a backup of it, and another value of a photo after that.
    private func prepare(_ service: ServiceUnderTest, _ folder: String) throws -> String {
        let context = try container(service).newContext()
        for number in 1...3 {
            let photo = try context.insert(entityNamed: "Photo")
            photo["number"] = .integer(Int64(number))
            photo["data"] = data(UInt8(number))
        }
        try context.save()
        let path = "\(folder)/Old.sqlite"
        _ = try connection(service).backUpStore(named: "Gallery", toFileAt: path)
        let photos = try context.fetch(FetchRequest<ManagedObject>(entityName: "Photo").sorted(by: "number"))
        photos[0]["data"] = data(9)
        context.delete(photos[2])
        try context.save()
        return path
    }

    private static let old = [[1, 1], [2, 2], [3, 3]]
    private static let new = [[1, 9], [2, 2]]

    @Test(arguments: ["copy", "backup"])
    func `a store becomes a document's package with its values, and takes it back`(way: String) throws {
        try withService { service in
            try withTemporaryFolder { folder in
                _ = try prepare(service, folder)
                let connection = try connection(service)
                let package = "\(folder)/Trip.coffer"
                if way == "copy" {
                    _ = try connection.copyStore(named: "Gallery", toFileAt: package, type: .sqlite)
                } else {
                    _ = try connection.backUpStore(named: "Gallery", toFileAt: package + "/")
                }
                #expect(throws: CofferError.self) {
                    _ = try connection.copyStore(named: "Gallery", toFileAt: package, type: .binary)
                }
                #expect(throws: CofferError.self) {
                    _ = try connection.copyStore(
                        named: "Nothing", toFileAt: "\(folder)/Other.coffer", type: .xml)
                }
                #expect(try !Folder(at: folder).exists("Other.coffer"))
                let moved = "\(folder)/Moved.coffer"
                try Folder(at: folder).rename("Trip.coffer", to: "Moved.coffer")
                do {
                    let document = ManagedObjectContext(
                        coordinator: try EmbeddedCoordinator.open(
                            path: moved, model: nil, mustExist: true, application: ""))
                    let second = FetchRequest<ManagedObject>(
                        entityName: "Photo", try QueryPredicate(format: "number == 2"))
                    let photo = try #require(try document.fetch(second).first)
                    photo["data"] = data(7)
                    try document.save()
                }
                try connection.replaceStore(named: "Gallery", withFileAt: moved)
                #expect(try content(service) == [[1, 9], [2, 7]])
                #expect(try service.integrity(ofStore: "Gallery") == [])
            }
        }
    }

    @Test
    func `a backup as it is made by default brings all values back`() throws {
        try withService { service in
            try withTemporaryFolder { folder in
                let path = try prepare(service, folder)
                #expect(try content(service) == Self.new)
                try connection(service).replaceStore(named: "Gallery", withFileAt: path)
                #expect(try content(service) == Self.old)
                #expect(try service.integrity(ofStore: "Gallery") == [])
                // Without its values it is refused, and nothing happens.
                try FileManager.default.removeItem(atPath: "\(folder)/.Old_SUPPORT")
                #expect(throws: CofferError.self) {
                    try connection(service).replaceStore(named: "Gallery", withFileAt: path)
                }
                #expect(try content(service) == Self.old)
            }
        }
    }

    @Test(arguments: [CrashPoint.beforeExchange, .afterExchange])
    func `a service that is killed leaves the old values or all of the backup's`(point: CrashPoint) throws {
        try withStoppableService { service, place in
            try withTemporaryFolder { folder in
                _ = try prepare(service, folder)
                let exchanger = try service.channel()
                let backup = try Folder(at: folder)
                try place.arm(point)
                _ = try exchanger.start(
                    .replaceStore,
                    ReplaceStoreRequestMessage(name: StoreNameMessage(name: "Gallery"), waitMilliseconds: 1)
                        .packed(),
                    descriptors: [
                        backup.openBeneath("Old.sqlite"),
                        backup.folder(".Old_SUPPORT/_EXTERNAL_DATA").descriptor,
                    ])
                try place.waitUntilReached(point)
                try service.kill9()
                #expect(try content(service) == (point == .beforeExchange ? Self.new : Self.old))
                #expect(try service.integrity(ofStore: "Gallery") == [])
            }
        }
    }
}
