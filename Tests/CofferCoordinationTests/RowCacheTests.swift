import CofferCoordination
import CofferModel
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

@Suite struct RowCacheTests {
    @Test func `a row that one session has read is a fault of another without reading the file`() throws {
        try withItems(100) { items, keys in
            let (first, second) = (items.store.cache.makeHolder(), items.store.cache.makeHolder())
            try items.fetch(0, 0, for: first)
            #expect(items.store.cache.size.rows == 100)
            for key in keys {
                let (rows, isCached) = try items.fire([key], for: second)
                #expect(isCached)
                #expect(try rows == items.stored([key]))
            }
            #expect(items.store.cache.hitCount == 100)
            #expect(items.store.cache.missCount == 0)
        }
    }

    @Test func `a row stays as long as somebody holds it`() throws {
        try withItems(100) { items, keys in
            let cache = items.store.cache
            let (first, second) = (cache.makeHolder(), cache.makeHolder())
            try items.fetch(0, 0, for: first)
            _ = try items.fire(Array(keys[..<10]), for: second)
            first.release(keys, entity: 0)
            first.sweep(keys, entity: 0)
            #expect(cache.size.rows == 10)
            second.release(Array(keys[..<4]), entity: 0)
            second.sweep(Array(keys[..<4]), entity: 0)
            #expect(cache.size.rows == 6)
            // A holder that holds a row again before it is swept keeps it.
            second.release([keys[9]], entity: 0)
            _ = try items.fire([keys[9]], for: first)
            first.sweep([keys[9]], entity: 0)
            #expect(cache.size.rows == 6)
            first.release([keys[9]], entity: 0)
            first.sweep([keys[9]], entity: 0)
            #expect(cache.size.rows == 5)
            second.close()
            #expect(cache.size.rows == 0)
            #expect(cache.size.bytes <= 1_024)
            first.close()
        }
    }

    @Test func `rows that were fetched in part are held, not kept`() throws {
        try withItems(10) { items, keys in
            let holder = items.store.cache.makeHolder()
            try items.fetch(0, 0, for: holder, only: ["title"])
            #expect(items.store.cache.size.rows == 0)
            #expect(holder.holdsAny(of: [keys[3]], entity: 0))
        }
    }

    @Test func `a save is seen in the cache, and one that fails is not`() throws {
        try withItems(3) { items, keys in
            let holder = items.store.cache.makeHolder()
            try items.fetch(0, 0, for: holder)
            let title = try #require(items.store.model.entities[0].propertyIndex(named: "title"))
            func update(_ text: String, version: UInt32) throws -> SaveExecution {
                var builder = ColumnBuilder(property: title, type: .string)
                builder.append(text: text)
                return try items.store.save(
                    items.request(updates: [
                        UpdateGroup(
                            entity: 0, primaryKeys: [keys[0]], versions: [version],
                            columns: [builder.finish()])
                    ]), by: ItemStore.origin)
            }
            _ = try update("new", version: 1)
            let conflict = try update("never", version: 1)
            guard case .conflicts = conflict.reply else {
                Issue.record("\(conflict.reply)")
                return
            }
            let (rows, isCached) = try items.fire([keys[0]], for: holder)
            #expect(isCached)
            #expect(rows[keys[0]]?.values["title"] == .string("new"))
            #expect(rows[keys[0]]?.version == 2)
            #expect(try rows == items.stored([keys[0]]))
        }
    }

    @Test(arguments: [(60, true), (150, false)])
    func `what saves have changed is there when somebody looks, unless they were many`(
        _ saves: Int, _ stays: Bool
    ) throws {
        try withItems(100) { items, keys in
            let cache = items.store.cache
            let holder = cache.makeHolder()
            try items.fetch(0, 0, for: holder)
            _ = try items.fire(keys, for: holder)
            let layout = items.store.model.entities[0]
            let (title, count) = try (
                #require(layout.propertyIndex(named: "title")), #require(layout.propertyIndex(named: "count"))
            )
            for round in 0..<saves {
                var text = ColumnBuilder(property: title, type: .string)
                text.append(text: "round \(round)")
                var number = ColumnBuilder(property: count, type: .integer64)
                number.append(Int64(round))
                let column = round % 2 == 0 ? text.finish() : number.finish()
                let key = keys[round % 50]
                let version = UInt32(round / 50 + 1)
                let group = UpdateGroup(
                    entity: 0, primaryKeys: [key], versions: [version], columns: [column])
                _ = try items.store.save(items.request(updates: [group]), by: ItemStore.origin)
            }
            let (rows, isCached) = try items.fire(keys, for: holder)
            #expect(isCached == stays)
            #expect(rows[keys[7]]?.version == (stays ? 3 : 4))
            #expect(try rows == items.stored(keys))
            #expect(try items.fire(keys, for: holder).isCached)
            #expect(cache.size.rows == 100)
        }
    }

    @Test func `rows that were read before a commit do not come in after it`() throws {
        try withItems(3) { items, keys in
            let holder = items.store.cache.makeHolder()
            let ticket = items.store.cache.ticket()
            let read = try items.store.fetch(
                FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Item")))
            _ = try items.store.save(
                items.request(deletes: [DeleteGroup(entity: 0, primaryKeys: [keys[1]], versions: [1])]),
                by: ItemStore.origin)
            let rows = try #require(read.rows)
            holder.hold(rows, readAt: read.number, ticket)
            #expect(try items.fire(keys, for: holder).rows == items.stored(keys))
            #expect(try items.fire([keys[0], keys[2]], for: holder).isCached)
        }
    }

    @Test(arguments: Seed.several(1))
    func `what a session inserts it holds, and others find it`(seed: Seed) throws {
        try withItems(0) { items, _ in
            let holder = items.store.cache.makeHolder()
            var numbers = seed.generator()
            let execution = try items.store.save(
                items.request(inserts: [items.inserts(20, &numbers)]), by: ItemStore.origin)
            let transaction = try #require(execution.transaction)
            holder.holdInserts(of: transaction)
            let keys = Array(Int64(1)...20)
            let (rows, isCached) = try items.fire(keys, for: items.store.cache.makeHolder())
            #expect(try rows == items.stored(keys))
            // Decimals and not-a-number may read differently: then the file is asked.
            #expect(
                isCached
                    || transaction.changes[0].columns.contains {
                        "\($0)".contains("decimals") || "\($0)".contains("nan")
                    })
        }
    }

    @Test(arguments: Seed.several(1))
    func `a new row that its own transaction changed is not kept as it was inserted`(seed: Seed) throws {
        try withItems(0) { items, _ in
            let holder = items.store.cache.makeHolder()
            var numbers = seed.generator()
            let execution = try items.store.save(
                items.request(inserts: [items.inserts(4, &numbers)]), by: ItemStore.origin)
            _ = try items.save(title: "later", of: 2, version: 1)
            var transaction = try #require(execution.transaction)
            transaction.number = 2
            transaction.changes.append(
                ChangeGroup(kind: .update, entity: 0, primaryKeys: [2], versions: [2]))
            holder.holdInserts(of: transaction)
            #expect(holder.holdsAny(of: [2], entity: 0))
            #expect(try items.fire([2], for: holder).rows == items.stored([2]))
        }
    }

    @Test func `ten thousand rows take little more than their bytes`() throws {
        try withItems(10_000) { items, _ in
            let holder = items.store.cache.makeHolder()
            try items.fetch(0, 0, for: holder)
            let reply = try items.store.fetch(
                FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Item")))
            let bytes = try #require(reply.rows).columns.reduce(0) { $0 + $1.byteCount }
            _ = try items.fire([1], for: holder)
            #expect(items.store.cache.size.rows == 10_000)
            #expect(items.store.cache.size.bytes < bytes + 10_000 * 100)
            items.store.cache.shrink()
            #expect(items.store.cache.shrinkCount == 1)
            #expect(items.store.cache.size.bytes < bytes)
        }
    }

    @Test func `rows that come one by one are packed`() throws {
        try withItems(1_000) { items, keys in
            let holder = items.store.cache.makeHolder()
            for key in keys { _ = try items.fire([key], for: holder) }
            #expect(try items.fire(keys, for: holder).isCached)
            #expect(items.store.cache.size.bytes < 1_000 * 100 + 1_000 * 150 + 64 * 2_000)
            #expect(try items.fire(keys, for: holder).rows == items.stored(keys))
        }
    }
}

/// Calls `body` with a store of so many items, and their keys.
func withItems(
    _ count: Int, pragmas: [String: String] = [:], _ body: (ItemStore, [Int64]) throws -> Void
) throws {
    try withTemporaryFolder { path in
        let items = try ItemStore(at: path, pragmas: pragmas)
        var numbers = Seed.printed(for: "\(count) items").generator()
        if count > 0 {
            _ = try items.store.save(
                items.request(inserts: [items.inserts(count, &numbers)]), by: ItemStore.origin)
        }
        try body(items, count > 0 ? Array(Int64(1)...Int64(count)) : [])
    }
}
