import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

extension MigrationHarness {
    /// Migrates the store, and compares it with a copy of its objects that is made one by one.
    ///
    /// - Returns: Whether the store could be migrated; if not, it is as it was.
    func compare(_ comment: Comment) throws -> Bool {
        let before = try ObjectGraph(reading: open(source))
        let wanted = before.migrated(by: try resolved())
        let plan = try migration().plan()
        #expect(plan.obstacles.isEmpty == (wanted != nil), "\(comment): \(plan.obstacles)")
        guard let wanted else {
            #expect(throws: StoreError.self) { try migration().run() }
            #expect(try ObjectGraph(reading: open(source)) == before)
            return false
        }
        _ = try migration().run()
        try check()
        let found = try ObjectGraph(reading: open(destination))
        #expect(found.differences(from: wanted) == [], comment)
        try ExternalStore.expectWhole(open(destination))
        return true
    }
}

/// Objects that follow from a seed.
enum RandomObjects {
    /// Makes objects of every entity, and relates them.
    static func fill(_ harness: MigrationHarness, _ generator: inout SeededGenerator) throws {
        let bench = try Bench(harness.open(harness.source))
        var keys: [Int: [Int64]] = [:]
        for entity in bench.model.entities where !entity.isAbstract {
            let count = Int.random(in: 2...9, using: &generator)
            var columns: [Column] = []
            for attribute in entity.attributes where !attribute.isTransient {
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
            for relationship in entity.relationships where !relationship.isTransient {
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

    private static func relate(
        _ relationship: RelationshipDescription, _ entity: EntityDescription, _ keys: [Int: [Int64]],
        _ bench: Bench, _ generator: inout SeededGenerator
    ) throws {
        // A set whose inverse is a to-one relationship is kept by that.
        if relationship.isToMany, let inverse = bench.model.inverse(of: relationship), !inverse.isToMany {
            return
        }
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
