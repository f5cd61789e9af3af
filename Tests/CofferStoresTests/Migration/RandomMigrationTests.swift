import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Migrations in place, compared with copies that are made one by one.
@Suite struct RandomMigrationTests {
    @Test(arguments: Seed.fresh(30))
    func `a store has what a copy of its objects one by one would have`(_ seed: Seed) throws {
        print("seed \(seed)")
        var generator = seed.generator()
        var models = RandomModels(generator)
        guard var model = models.model else { return }
        try withTemporaryFolder { path in
            try fill(MigrationHarness(path: path, source: model, destination: model), &generator)
            for _ in 0..<4 {
                models.advance()
                guard let next = models.model else { continue }
                let harness = MigrationHarness(path: path, source: model, destination: next)
                guard try migrate(harness, seed) else { continue }
                model = next
            }
        }
    }

    /// Whether the store could be migrated; it is as it was where not.
    private func migrate(_ harness: MigrationHarness, _ seed: Seed) throws -> Bool {
        let before = try ObjectGraph(reading: harness.open(harness.source))
        let wanted = before.migrated(
            by: try InferredMapping(from: harness.source, to: harness.destination))
        let plan = try harness.migration().plan()
        #expect(plan.obstacles.isEmpty == (wanted != nil), "seed \(seed): \(plan.obstacles)")
        guard let wanted else {
            #expect(throws: StoreError.self) { try harness.migration().run() }
            #expect(try ObjectGraph(reading: harness.open(harness.source)) == before)
            return false
        }
        _ = try harness.migration().run()
        try harness.check()
        let found = try ObjectGraph(reading: harness.open(harness.destination))
        #expect(found.differences(from: wanted) == [], "seed \(seed)")
        try ExternalStore.expectWhole(harness.open(harness.destination))
        return true
    }

    /// Makes objects of every entity, and relates them.
    private func fill(_ harness: MigrationHarness, _ generator: inout SeededGenerator) throws {
        let bench = try Bench(harness.open(harness.source))
        var keys: [Int: [Int64]] = [:]
        for entity in bench.model.entities where !entity.isAbstract {
            let count = Int.random(in: 2...9, using: &generator)
            var columns: [Column] = []
            for attribute in entity.attributes {
                var builder = ColumnBuilder(property: attribute.index, type: attribute.type)
                for _ in 0..<count {
                    if attribute.isOptional, Int.random(in: 0...4, using: &generator) == 0 {
                        builder.appendNull()
                    } else {
                        try builder.append(RandomModels.value(of: attribute.type, &generator))
                    }
                }
                columns.append(builder.finish())
            }
            let saved = try bench.save(inserts: [bench.insert(entity.name, columns, count: count)]).saved
            let first = try #require(saved.firstKeys.first)
            keys[entity.index] = (0..<count).map { first + Int64($0) }
        }
        for entity in bench.model.entities where !entity.isAbstract {
            for relationship in entity.relationships {
                try relate(relationship, entity, keys, bench, &generator)
            }
        }
        // History has updates, deletes and what is kept of them.
        if let entity = bench.model.entities.last(where: { !$0.isAbstract }),
            let key = keys[entity.index]?.last
        {
            let row = try bench.query(
                "SELECT Z_OPT FROM Z\(entity.rootName.uppercased()) WHERE Z_PK = \(key)")
            let version = try #require(row.first.flatMap { UInt32($0) })
            _ = try bench.execute(
                bench.request(deletes: [bench.delete(entity.name, [key], version: version)]))
        }
    }

    private func relate(
        _ relationship: RelationshipDescription, _ entity: EntityDescription, _ keys: [Int: [Int64]],
        _ bench: Bench, _ generator: inout SeededGenerator
    ) throws {
        // A set whose inverse is a to-one relationship is kept by that.
        let inverse = bench.model.inverse(of: relationship)
        if relationship.isToMany, !(inverse?.isToMany ?? false) { return }
        let targets = bench.model.destination(of: relationship).familyIndices.flatMap { index in
            (keys[index] ?? []).map { (index, $0) }
        }
        for key in keys[entity.index] ?? [] where Int.random(in: 0...2, using: &generator) > 0 {
            guard let target = targets.randomElement(using: &generator) else { continue }
            if relationship.isToMany {
                let others = targets.shuffled(using: &generator).prefix(2).map(\.1)
                try bench.save(
                    policy: .overwrite,
                    sets: [
                        SetChange(
                            entity: entity.index, property: relationship.index,
                            owners: others.map { _ in key }, targets: others)
                    ])
                continue
            }
            let row = try bench.query(
                "SELECT Z_OPT FROM Z\(entity.rootName.uppercased()) WHERE Z_PK = \(key)")
            let version = try #require(row.first.flatMap { UInt32($0) })
            let name = bench.model.entities[target.0].name
            try bench.save(
                policy: .overwrite,
                updates: [
                    bench.update(
                        entity.name, key, version: version,
                        [bench.reference(entity.name, relationship.name, [(name, target.1)])])
                ])
        }
    }
}

/// The files beside a store.
enum ExternalStore {
    /// Expects that rows and files agree, and that nothing waits.
    static func expectWhole(_ file: StoreFile, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var named: Set<String> = []
        let reader = try file.makeReader()
        for column in file.schema.externalColumns {
            let statement = try reader.prepare(
                "SELECT CAST(substr(\(column.name), 2, 36) AS TEXT) FROM \(column.table) "
                    + "WHERE length(\(column.name)) = 38 AND substr(\(column.name), 1, 1) = x'02'")
            while try statement.step() { named.insert(statement.text(0)) }
        }
        let folder = file.folder.path + "/.Test_SUPPORT/_EXTERNAL_DATA"
        let files = Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        #expect(files == named, sourceLocation: sourceLocation)
    }
}
