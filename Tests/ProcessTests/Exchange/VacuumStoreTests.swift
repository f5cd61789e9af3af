import Coffer
import CofferCoordination
import CofferLinux
import CofferModel
import CofferService
import CofferStores
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

@Suite(.serialized) struct `Stores that the service makes smaller` {
    private func connection(_ service: ServiceUnderTest) throws -> ServiceConnection {
        try ServiceConnection(application: "org.coffer.Tests", bus: .explicit(service.bus.address))
    }

    private func faults(_ service: ServiceUnderTest) throws -> [String] {
        try service.integrity(ofStore: "Log")
    }

    private func container(_ service: ServiceUnderTest) throws -> PersistentContainer {
        let container = try PersistentContainer(
            name: "Log", model: LogModel.make(), application: "org.coffer.Tests",
            stores: [StoreDescription(name: "Log")], bus: .explicit(service.bus.address))
        try container.loadStores()
        return container
    }

    /// Inserts so many entries with large bodies through `context`, and deletes all but every third.
    private func makeSparse(_ context: ManagedObjectContext, _ count: Int) throws {
        var objects: [ManagedObject] = []
        for number in 1...count {
            let object = try context.insert(entityNamed: "Entry")
            object["sequence"] = .integer(Int64(number))
            object["body"] = .string(String(repeating: "x", count: 20_000))
            objects.append(object)
        }
        try context.save()
        for (index, object) in objects.enumerated() where index % 3 != 0 { context.delete(object) }
        try context.save()
    }

    private func sequences(_ context: ManagedObjectContext) throws -> [Int64] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Entry")).compactMap {
            if case .integer(let number) = $0["sequence"] { number } else { nil }
        }.sorted()
    }

    @Test
    func `a client is told how far it is, and contexts go on reading and saving`() throws {
        try withService { service in
            let container = try container(service)
            let context = container.newContext()
            try makeSparse(context, 3_000)
            let held = try context.fetch(FetchRequest<ManagedObject>(entityName: "Entry"))
            var told: [UInt64] = []
            let client = try ClientProcess(service)
            let made = try connection(service).vacuumStore(named: "Log") { done, total in
                told.append(done)
                #expect(done <= total && total > 30_000_000)
                // Another program reads while the file is written again.
                if told.count == 2 { #expect((try? client.count()) == 1_000) }
            }
            #expect(try client.end() == .code(0))
            #expect(!told.isEmpty && told == told.sorted())
            #expect(made.byteCount < made.formerByteCount / 2)
            #expect(
                try Folder(at: LogFile.folder(service)).facts(of: "Log.sqlite")?.byteCount ?? 0 < 30_000_000)
            held[0]["sequence"] = .integer(90_001)
            try context.save()
            let after = try sequences(container.newContext())
            #expect(after.count == 1_000 && after.last == 90_001)
            #expect(try faults(service) == [])
        }
    }

    @Test(arguments: [CrashPoint.duringVacuum, .endingVacuum])
    func `a service that is killed leaves the store whole`(point: CrashPoint) throws {
        try withStoppableService { service, place in
            do {
                let context = try container(service).newContext()
                try makeSparse(context, 300)
            }
            let channel = try service.channel()
            let opened: OpenStoreReplyMessage = try channel.call(
                .openStore, OpenStoreRequestMessage(name: StoreNameMessage(name: "Log"), modelID: []))
            guard case .opened(let store) = opened else { return #expect(Bool(false), "\(opened)") }
            try place.arm(point)
            _ = try channel.start(.vacuumStore, VacuumStoreRequestMessage(store: store.store).packed())
            try place.waitUntilReached(point)
            try service.kill9()
            let again = try container(service).newContext()
            #expect(try sequences(again) == (0..<100).map { Int64($0 * 3 + 1) })
            #expect(try faults(service) == [])
            let made = try connection(service).vacuumStore(named: "Log")
            // It may have been made smaller already when it was killed.
            #expect(made.byteCount <= made.formerByteCount && made.byteCount < 3_000_000)
            #expect(try sequences(again).count == 100)
        }
    }

    @Test
    func `a call that is taken back leaves the store as it was, and saves behind it are made`() throws {
        try withStoppableService { service, place in
            let context = try container(service).newContext()
            try makeSparse(context, 3_000)
            let channel = try service.channel()
            let opened: OpenStoreReplyMessage = try channel.call(
                .openStore, OpenStoreRequestMessage(name: StoreNameMessage(name: "Log"), modelID: []))
            guard case .opened(let store) = opened else { return #expect(Bool(false), "\(opened)") }
            let size = try Folder(at: LogFile.folder(service)).facts(of: "Log.sqlite")?.byteCount
            try place.arm(.duringVacuum)
            let call = try channel.start(
                .vacuumStore, VacuumStoreRequestMessage(store: store.store).packed())
            // It stands still in the middle; the rest of the service sees that it is taken back.
            try place.pausing(service, at: .duringVacuum) {
                try channel.send(FrameHeader(kind: .cancel, callID: call).bytes)
            }
            let refusal = #expect(throws: Refusal.self) { try channel.reply(to: call) }
            #expect(refusal?.code == .cancelled, "\(refusal as Any)")
            // A third of the objects is left.
            let kept = try Folder(at: LogFile.folder(service)).facts(of: "Log.sqlite")?.byteCount
            #expect(try #require(kept) > #require(size) / 2)
            let object = try context.insert(entityNamed: "Entry")
            object["sequence"] = .integer(7_000)
            try context.save()
            #expect(try sequences(context).count == 1_001)
            #expect(try faults(service) == [])
        }
    }
}
