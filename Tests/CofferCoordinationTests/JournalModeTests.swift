import CofferCoordination
import CofferStores
import Synchronization
import TestSupport
import Testing

@Suite struct JournalModeTests {
    @Test func `no state of a store without a log is pinned, since saves would wait for it`() throws {
        try withItems(1, pragmas: ["journal_mode": "DELETE"]) { items, keys in
            #expect(throws: StoreError.noGenerations(path: items.store.file.path)) { try items.store.pin() }
            _ = try items.save(title: "saved all the same", of: keys[0], version: 1)
            #expect(items.store.number == 2)
        }
    }

    @Test func `in a store without a log, our own saves are not taken for those of others`() throws {
        try withItems(2, pragmas: ["journal_mode": "DELETE"]) { items, keys in
            let holder = items.store.cache.makeHolder()
            try items.fetch(0, 0, for: holder)
            _ = try items.save(title: "mine", of: keys[0], version: 1)
            #expect(try items.fire(keys, for: holder).isCached)
            #expect(items.store.statistics.foreignChanges.load(ordering: .relaxed) == 0)
        }
    }
}
