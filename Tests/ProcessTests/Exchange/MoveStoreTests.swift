import Coffer
import CofferCoordination
import CofferLinux
import CofferModel
import CofferService
import CofferStores
import CofferWire
import ContextSupport
import FoundationEssentials
import TestSupport
import Testing

@Suite(.serialized) struct `Stores that the service takes to another type` {
    private func connection(_ service: ServiceUnderTest) throws -> ServiceConnection {
        try ServiceConnection(application: "org.coffer.Tests", bus: .explicit(service.bus.address))
    }

    private func storeNames(_ service: ServiceUnderTest) throws -> [String] {
        try Folder(at: LogFile.folder(service)).names().filter { $0.hasPrefix("Log") && !$0.contains("-") }
            .filter { !$0.hasSuffix(".lock") }
    }

    @Test
    func `clients that have it open save first, and go on with the new store`() throws {
        try withService { service in
            let client = try ClientProcess(service)
            for number in 1...3 { try client.insert(number) }
            try client.ask("keepUnsaved", ["title": "last words"])
            let made = try connection(service).migratePersistentStore(named: "Log", to: .binary)
            #expect(made.objectCount == 4)
            try client.ask("waitForEvents", ["event": "storesDidChange"])
            #expect(try client.count() == 4)
            #expect(try storeNames(service) == ["Log.binary"])
            try client.insert(5)
            #expect(try client.count() == 5)
            #expect(try client.end() == .code(0))
            let back = try connection(service).migratePersistentStore(named: "Log", to: .sqlite)
            #expect(back.objectCount == 5 && back.formerUUID == made.uuid)
            let other = try ClientProcess(service)
            #expect(try other.count() == 5)
            #expect(try storeNames(service) == ["Log.sqlite"])
            try other.ask("insert", ["as": "unsaved", "sequence": "6"])
            #expect(throws: CofferError.self) {
                try connection(service).migratePersistentStore(named: "Log", to: .sqlite)
            }
            // No client was asked, so unsaved changes were not lost.
            #expect(try other.save() > 0)
            #expect(try other.count() == 6)
            #expect(try other.end() == .code(0))
        }
    }

    @Test(
        arguments: [CrashPoint.duringMove, .beforeSwitch, .afterSwitch],
        [StoreType.binary, .xml])
    func `a service that is killed leaves the old store or the new one`(point: CrashPoint, type: StoreType)
        throws
    {
        try withStoppableService { service, place in
            let client = try ClientProcess(service)
            for number in 1...3 { try client.insert(number) }
            #expect(try client.end() == .code(0))
            let channel = try service.channel()
            try place.arm(point)
            let request = MoveStoreRequestMessage(name: StoreNameMessage(name: "Log"), type: type)
            _ = try channel.start(.moveStore, request.packed())
            try place.waitUntilReached(point)
            try service.kill9()
            let again = try ClientProcess(service)
            #expect(try again.count() == 3)
            let isNew = point == .afterSwitch
            #expect(try storeNames(service) == [isNew ? "Log\(type.fileSuffix)" : "Log.sqlite"])
            try again.insert(4)
            let next: StoreType = isNew ? .sqlite : type
            #expect(try connection(service).migratePersistentStore(named: "Log", to: next).objectCount == 4)
            try again.ask("waitForEvents", ["event": "storesDidChange"])
            #expect(try again.count() == 4)
            #expect(try again.end() == .code(0))
        }
    }

    @Test
    func `objects of a context live on under their new ids`() throws {
        try withService { service in
            let container = try PersistentContainer(
                name: "Log", model: LogModel.make(), application: "org.coffer.Tests",
                stores: [StoreDescription(name: "Log")], bus: .explicit(service.bus.address))
            try container.loadStores()
            let context = container.newContext()
            var objects: [ManagedObject] = []
            for number in 1...3 {
                let object = try context.insert(entityNamed: "Entry")
                object["sequence"] = .integer(Int64(number))
                objects.append(object)
            }
            try context.save()
            let ids = objects.map(\.objectID)
            var change: ObjectIDChange?
            let token = context.onNotification { notification in
                if case .didChangeIDs(let told) = notification { change = told }
            }
            _ = try connection(service).migratePersistentStore(named: "Log", to: .binary)
            while change == nil { context.mergePendingChanges() }
            for (object, id) in zip(objects, ids) {
                #expect(object.objectID != id && object.objectID == change?.newID(of: id))
            }
            #expect(
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Entry")).count == 3)
            #expect(objects.map { $0["sequence"] } == [.integer(1), .integer(2), .integer(3)])
            objects[0]["sequence"] = .integer(9)
            try context.save()
            token.cancel()
        }
    }

    @Test
    func `what was not saved when a store moved goes into the new one with the next save`() throws {
        try withService { service in
            let container = try PersistentContainer(
                name: "Log", model: LogModel.make(), application: "org.coffer.Tests",
                stores: [StoreDescription(name: "Log")], bus: .explicit(service.bus.address))
            try container.loadStores()
            let context = container.newContext()
            var objects: [ManagedObject] = []
            for number in 1...3 {
                let object = try context.insert(entityNamed: "Entry")
                object["sequence"] = .integer(Int64(number))
                objects.append(object)
            }
            try context.save()
            var losses = 0
            let token = context.onNotification { notification in
                if case .didLoseChanges = notification { losses += 1 }
            }
            for type in [StoreType.binary, .sqlite] {
                objects[0]["title"] = .string("before \(type)")
                _ = try connection(service).migratePersistentStore(named: "Log", to: type)
                // In the same turn, before the context has heard of it.
                objects[1]["title"] = .string("after \(type)")
                let object = try context.insert(entityNamed: "Entry")
                object["title"] = .string("new \(type)")
                object["sequence"] = type == .sqlite ? 11 : 10
                if type == .sqlite { context.delete(objects[2]) }
                try context.save()
            }
            let others = try container.newContext().texts("Entry", "title")
            #expect(others == ["after sqlite", "before sqlite", "new binary", "new sqlite"])
            #expect(try context.texts("Entry", "title") == others)
            #expect(losses == 0)
            token.cancel()
        }
    }
}
