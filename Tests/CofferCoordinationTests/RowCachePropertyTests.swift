import CofferCoordination
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Whatever sessions fetch, save, release and fail at: what the cache says is what the file says.
@Suite struct RowCachePropertyTests {
    @Test(arguments: Seed.several(24))
    func `what the cache gives is what the file has`(seed: Seed) throws {
        try withTemporaryFolder { path in
            var run = try Run(ItemStore(at: path), seed)
            for _ in 0..<300 { try run.step() }
            run.end()
        }
    }

    private struct Run {
        let items: ItemStore
        let seed: Seed
        var numbers: SeededGenerator
        var holders: [RowHolder]
        var versions: [Int64: UInt32] = [:]
        /// Another program that writes into the file.
        let foreign: SQLiteConnection

        init(_ items: ItemStore, _ seed: Seed) throws {
            self.items = items
            foreign = try SQLiteConnection(path: items.store.file.path, mode: .readWrite)
            self.seed = seed
            numbers = seed.generator()
            holders = (0..<3).map { _ in items.store.cache.makeHolder() }
        }

        mutating func step() throws {
            let place = Int.random(in: holders.indices, using: &numbers)
            let holder = holders[place]
            switch Int.random(in: 0..<12, using: &numbers) {
            case 0, 1: try insert(Int.random(in: 1...40, using: &numbers), holder)
            case 2: try items.fetch(random(50), random(80), for: holder)
            case 3: try items.fetch(random(50), random(80), for: holder, only: ["title", "count"])
            case 4, 5: try update(isStale: false)
            case 6: try update(isStale: true)
            case 7: try delete()
            case 8:
                let released = keys(30)
                holder.release(released, entity: 0)
                if random(2) == 0 { holder.sweep(released, entity: 0) }
            case 9: items.store.cache.shrink()
            case 11 where random(3) == 0:
                try foreign.execute("UPDATE ZITEM SET ZCOUNT = \(random(100)) WHERE Z_PK % 7 = \(random(7))")
            case 10 where random(4) == 0:
                holder.close()
                holders[place] = items.store.cache.makeHolder()
            default: break
            }
            if random(3) > 0 { return }  // What several commits changed is taken in together.
            let asked = keys(12)
            let found = try items.fire(asked, for: holder).rows
            let stored = try items.stored(asked)
            #expect(found == stored, "COFFER_SEED=\(seed)")
        }

        func end() {
            for holder in holders { holder.close() }
            #expect(items.store.cache.size.rows == 0, "COFFER_SEED=\(seed)")
        }

        private mutating func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &numbers) }

        private mutating func keys(_ count: Int) -> [Int64] {
            Array(versions.keys.sorted().shuffled(using: &numbers).prefix(random(count + 1)))
        }

        private mutating func insert(_ count: Int, _ holder: RowHolder) throws {
            let parents = keys(5)
            let request = items.request(inserts: [items.inserts(count, &numbers, parents: parents)])
            let execution = try items.store.save(request, by: ItemStore.origin)
            guard case .saved(let saved) = execution.reply, let transaction = execution.transaction else {
                return
            }
            holder.holdInserts(of: transaction)
            for key in saved.firstKeys[0]..<(saved.firstKeys[0] + Int64(count)) { versions[key] = 1 }
        }

        private mutating func update(isStale: Bool) throws {
            let changed = keys(random(6) == 0 ? 400 : 6)
            if changed.isEmpty { return }
            let stored = try items.stored(changed)
            let all = items.store.model.entities[0].properties.indices
            let properties = all.filter { _ in Int.random(in: 0..<3, using: &numbers) == 0 }
            let parents = keys(5)
            var wanted = changed.map { stored[$0]?.version ?? 1 }
            if isStale { wanted[random(wanted.count)] &+= 7 }
            let policies = MergePolicyMessage.allCases
            let columns = items.columns(properties, changed.count, &numbers, parents)
            let request = items.request(
                updates: [UpdateGroup(entity: 0, primaryKeys: changed, versions: wanted, columns: columns)],
                policy: policies[random(policies.count)])
            // Two in one commit, of which one may fail.
            _ = try? items.store.save(request, by: ItemStore.origin)
        }

        private mutating func delete() throws {
            let gone = keys(4)
            if gone.isEmpty { return }
            let stored = try items.stored(gone)
            let request = items.request(deletes: [
                DeleteGroup(entity: 0, primaryKeys: gone, versions: gone.map { stored[$0]?.version ?? 1 })
            ])
            _ = try? items.store.save(request, by: ItemStore.origin)
        }
    }
}
