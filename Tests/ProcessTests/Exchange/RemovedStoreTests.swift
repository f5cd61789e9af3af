import Coffer
import CofferLinux
import TestSupport
import Testing

/// Applications that go on after a store of theirs was removed.
@Suite(.serialized) struct RemovedStoreTests {
    private func titles(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Entry"))
            .compactMap { $0.value(forKey: "title") }.map { "\($0)" }.sorted()
    }

    private func insert(_ title: String, into context: ManagedObjectContext) throws {
        let entry = try context.insert(entityNamed: "Entry")
        try entry.setValue(.string(title), forKey: "title")
        try entry.setValue(.integer(Int64(title.utf8.count)), forKey: "sequence")
    }

    @Test(arguments: [false, true])
    func `loading stores again opens a new one, and what was inserted meanwhile goes into it`(isFile: Bool)
        throws
    {
        try withService { service in
            let container = try PersistentContainer(
                name: "Log", model: LogModel.make(), application: "org.coffer.Tests",
                stores: [StoreDescription(name: "Log")], bus: .explicit(service.bus.address))
            try container.loadStores()
            let context = container.newContext()
            let child = context.newChild()
            let unasked = container.newContext()
            unasked.automaticallyMergesChanges = false
            try insert("Milk", into: context)
            try context.save()
            #expect(try titles(child).count == 1)
            var heard: [ContextNotification] = []
            let token = context.onNotification { notification in
                if case .storesDidChange = notification { heard.append(notification) }
                if case .didLoseChanges = notification { heard.append(notification) }
            }

            if isFile {
                let folder = try Folder(at: "\(service.data)/org.coffer.Tests/Default")
                for name in try folder.names() where name.hasPrefix("Log.") { _ = try folder.unlink(name) }
            } else {
                let connection = try ServiceConnection(
                    application: "org.coffer.Tests", bus: .explicit(service.bus.address))
                try connection.removeStore(named: "Log", evenIfOpen: true)
            }
            try waitUntil("the store's removal") {
                context.mergePendingChanges()
                return heard == [.storesDidChange]
            }
            child.mergePendingChanges()
            unasked.mergePendingChanges()
            #expect(throws: CofferError.self) { try titles(context) }
            try insert("Bread", into: context)
            try insert("Eggs", into: child)
            try insert("Butter", into: unasked)
            #expect(throws: CofferError.self) { try context.save() }

            try container.loadStores()
            try child.save()
            try context.save()
            #expect(try titles(context).count == 2)
            #expect(try titles(child).count == 2)
            // One that merges when it is asked to need not be asked for this.
            try unasked.save()
            #expect(try titles(container.newContext()).count == 3)
            #expect(heard == [.storesDidChange, .storesDidChange], "nothing was lost")
            // There is nothing to be done any more.
            try container.loadStores()
            #expect(container.coordinator.storeCount == 1)
            withExtendedLifetime(token) {}
        }
    }
}
