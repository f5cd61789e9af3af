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

@Suite(.serialized) struct `Moves that are taken back` {
    private func withLog(
        _ count: Int,
        _ body: (ServiceUnderTest, StoppingPlace) throws -> Void
    ) throws {
        try withStoppableService { service, place in
            let context = try container(service).newContext()
            for number in 1...count {
                let object = try context.insert(entityNamed: "Entry")
                object["sequence"] = .integer(Int64(number))
                object["body"] = .string(String(repeating: "x", count: 2_000))
            }
            try context.save()
            try body(service, place)
        }
    }

    private func container(_ service: ServiceUnderTest) throws -> PersistentContainer {
        let container = try PersistentContainer(
            name: "Log", model: LogModel.make(), application: "org.coffer.Tests",
            stores: [StoreDescription(name: "Log")], bus: .explicit(service.bus.address))
        try container.loadStores()
        return container
    }

    private func lastObject(_ context: ManagedObjectContext) throws -> ManagedObject {
        var request = FetchRequest<ManagedObject>(entityName: "Entry")
        (request.offset, request.limit) = (19_999, 1)
        return try #require(try context.fetch(request).first)
    }

    /// Saves as an application does that opens the store now.
    private func saveAgain(_ service: ServiceUnderTest) throws {
        let context = try container(service).newContext()
        let request = FetchRequest<ManagedObject>(entityName: "Entry")
        #expect(try context.count(for: request) == 20_000)
        try #require(try context.fetch(request).first)["sequence"] = .integer(70_000)
        try context.save()
    }

    private func storeNames(_ service: ServiceUnderTest) throws -> [String] {
        try Folder(at: LogFile.folder(service)).names().filter { $0.contains("Log") && !$0.contains("-") }
            .filter { !$0.hasSuffix(".lock") }.sorted()
    }

    @Test(arguments: [StoreType.binary, .xml])
    func `in the middle, all is as it was`(type: StoreType) throws {
        try withLog(20_000) { service, place in
            let names = try storeNames(service)
            let channel = try service.channel()
            let context = try container(service).newContext()
            let changed = try lastObject(context)
            let body = changed["body"]
            changed["sequence"] = .integer(80_000)
            let new = try context.insert(entityNamed: "Entry")
            new["sequence"] = .integer(90_000)
            let id = changed.objectID
            try place.arm(.duringMove)
            let request = MoveStoreRequestMessage(name: StoreNameMessage(name: "Log"), type: type)
            let call = try channel.start(.moveStore, request.packed())
            // It stands still after its first objects; then it sees that it is taken back.
            try place.pausing(service, at: .duringMove) {
                try channel.send(FrameHeader(kind: .cancel, callID: call).bytes)
            }
            let refusal = #expect(throws: Refusal.self) { try channel.reply(to: call) }
            #expect(refusal?.code == .cancelled, "\(refusal as Any)")
            #expect(try storeNames(service) == names)
            try saveAgain(service)
            context.mergePendingChanges()
            #expect(context.updatedObjects == [changed] && context.insertedObjects == [new])
            #expect(changed.objectID == id && changed["body"] == body)
            // What waited in it was neither lost nor told of as lost.
            try context.save()
            #expect(changed["sequence"] == .integer(80_000) && new["sequence"] == .integer(90_000))
            #expect(try service.integrity(ofStore: "Log") == [])
        }
    }

    @Test
    func `by the end of their client, all is as it was`() throws {
        try withLog(20_000) { service, place in
            let names = try storeNames(service)
            let channel = try service.channel()
            try place.arm(.duringMove)
            let request = MoveStoreRequestMessage(name: StoreNameMessage(name: "Log"), type: .xml)
            _ = try channel.start(.moveStore, request.packed())
            try place.pausing(service, at: .duringMove) { channel.socket.shutDown() }
            // The opening waits for the end of the move, whichever that is.
            try saveAgain(service)
            #expect(try storeNames(service) == names)
        }
    }

    @Test
    func `a client is told how far its move is`() throws {
        try withLog(20_000) { service, _ in
            var told: [UInt64] = []
            let connection = try ServiceConnection(
                application: "org.coffer.Tests", bus: .explicit(service.bus.address))
            let made = try connection.migratePersistentStore(named: "Log", to: .xml) { copied, total in
                #expect(copied <= total && total == 20_000)
                told.append(copied)
            }
            #expect(made.objectCount == 20_000)
            #expect(!told.isEmpty && told == told.sorted(), "\(told)")
        }
    }
}
