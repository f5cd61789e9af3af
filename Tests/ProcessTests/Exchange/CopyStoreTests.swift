import Coffer
import CofferCoordination
import CofferDBus
import CofferEmbedded
import CofferLinux
import CofferModel
import CofferSQLite
import CofferService
import CofferStores
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

@Suite(.serialized) struct `New stores that the service makes of others` {
    private func connection(_ service: ServiceUnderTest) throws -> ServiceConnection {
        try ServiceConnection(application: "org.coffer.Tests", bus: .explicit(service.bus.address))
    }

    /// How many objects a file of any type has.
    private func objectCount(at path: String) throws -> Int {
        let inspection = try EmbeddedCoordinator.inspect(path: path)
        #expect(inspection.health.problems == [])
        return inspection.entities.reduce(0) { $0 + ($1.rows ?? 0) }
    }

    @Test(arguments: [StoreType.sqlite, .binary, .xml])
    func `a store is copied into each type while clients write, under a UUID of its own`(type: StoreType)
        throws
    {
        try withService { service in
            try withTemporaryFolder { path in
                let client = try ClientProcess(service)
                for number in 1...5 { try client.insert(number) }
                var told: [UInt64] = []
                let made = try connection(service).copyStore(
                    named: "Log", toFileAt: "\(path)/Log.new", type: type
                ) { copied, _ in told.append(copied) }
                #expect(made.objectCount == 5 && made.uuid != made.formerUUID)
                #expect(told == told.sorted() && (told.last ?? 0) <= 5)
                #expect(try objectCount(at: "\(path)/Log.new") == 5)
                let again = #expect(throws: CofferError.self) {
                    try connection(service).copyStore(
                        named: "Log", toFileAt: "\(path)/Log.new", type: type)
                }
                guard case .refused("AlreadyExists", "already_exists", _, "\(path)/Log.new")? = again else {
                    return #expect(Bool(false), "\(again as Any)")
                }
                try client.insert(6)
                #expect(try client.count() == 6)
                #expect(try client.end() == .code(0))
            }
        }
    }

    @Test(
        arguments: [CrashPoint.duringCopy, .afterCopy], [StoreType.sqlite, .binary])
    func `a service that is killed leaves nothing of a new store, and the old one whole`(
        point: CrashPoint, type: StoreType
    ) throws {
        try withStoppableService { service, place in
            try withTemporaryFolder { path in
                let target = try Folder(at: path)
                let client = try ClientProcess(service)
                for number in 1...3 { try client.insert(number) }
                let channel = try service.channel()
                let opened: OpenStoreReplyMessage = try channel.call(
                    .openStore, OpenStoreRequestMessage(name: StoreNameMessage(name: "Log"), modelID: []))
                guard case .opened(let store) = opened else { return #expect(Bool(false), "\(opened)") }
                try place.arm(point)
                let request = CopyStoreRequestMessage(
                    store: store.store, fileName: "Log.new", place: path, type: type)
                _ = try channel.start(.copyStore, request.packed(), descriptors: [target.descriptor])
                try place.waitUntilReached(point)
                try service.kill9()
                #expect(try !target.exists("Log.new"))
                // The next copy takes away what the last one left.
                let made = try connection(service).copyStore(
                    named: "Log", toFileAt: "\(path)/Log.new", type: type)
                #expect(made.objectCount == 3)
                #expect(try target.names() == ["Log.new"])
                #expect(try objectCount(at: "\(path)/Log.new") == 3)
                #expect(try client.insert(4) == 4)
                #expect(try client.end() == .code(0))
            }
        }
    }

    @Test
    func `no new store goes among those of the service, nor without a folder of the caller's`() throws {
        try withService { service in
            let client = try service.channel()
            let store = try client.open()
            let inner = try Folder(at: service.data).makeFolders("org.coffer.Other/Default")
            func refusal(_ descriptors: [OwnedDescriptor]) throws -> Refusal? {
                let request = CopyStoreRequestMessage(
                    store: store.handle, fileName: "Z.sqlite", place: inner.path, type: .sqlite)
                let call = try client.start(.copyStore, request.packed(), descriptors: descriptors)
                return #expect(throws: Refusal.self) { try client.reply(to: call) }
            }
            #expect(try refusal([inner.descriptor])?.reason == "unfit_target")
            #expect(try refusal([])?.reason == "unfit_folder")
            #expect(try refusal([Pipe.make().reader])?.reason == "unfit_folder")
            #expect(try inner.names() == [])
        }
    }

    @Test
    func `a copy that is taken back ends, and leaves nothing`() throws {
        try withStoppableService { service, place in
            try withTemporaryFolder { path in
                let target = try Folder(at: path)
                let client = try service.channel()
                let store = try client.open()
                let title = String(repeating: "x", count: 1 << 20)
                for _ in 0..<40 { try client.insert([title], into: store) }
                let request = CopyStoreRequestMessage(
                    store: store.handle, fileName: "Log.new", place: path, type: .sqlite)
                let call = try client.start(.copyStore, request.packed(), descriptors: [target.descriptor])
                try client.send(FrameHeader(kind: .cancel, callID: call).bytes)
                let refusal = #expect(throws: Refusal.self) { try client.reply(to: call) }
                #expect(refusal?.code == .cancelled, "\(refusal as Any)")
                #expect(try target.names() == [])
            }
        }
    }
}
