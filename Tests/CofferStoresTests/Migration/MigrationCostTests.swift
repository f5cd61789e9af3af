import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// What a look at a migration says of the room that it takes.
@Suite(.serialized) struct MigrationCostTests {
    private static let count = 20_000

    /// What changes from one model to the other.
    enum Kind: CaseIterable {
        case defaulted, optional, removed, converted, indexed, toFiles, toRows
    }

    private static func model(_ attributes: [AttributeDefinition]) -> [EntityDefinition] {
        [
            EntityDefinition(
                "Note",
                attributes: [
                    AttributeDefinition("title", .string, isOptional: true, isIndexed: true),
                    AttributeDefinition("born", .date, isOptional: true),
                ] + attributes),
            EntityDefinition("Other", attributes: [AttributeDefinition("text", .string, isOptional: true)]),
        ]
    }

    private static func models(_ kind: Kind) -> (old: [EntityDefinition], new: [EntityDefinition]) {
        let number = AttributeDefinition("number", .integer64, isOptional: true)
        func data(_ isExternal: Bool) -> AttributeDefinition {
            AttributeDefinition("data", .binary, isOptional: true, allowsExternalStorage: isExternal)
        }
        return switch kind {
        case .defaulted:
            (
                model([number]),
                model([number, AttributeDefinition("kind", .string, defaultValue: .string("a usual note"))])
            )
        case .optional:
            (model([number]), model([number, AttributeDefinition("more", .string, isOptional: true)]))
        case .removed: (model([number]), model([]))
        case .converted:
            (model([number]), model([AttributeDefinition("number", .string, isOptional: true)]))
        case .indexed:
            (
                model([number]),
                model([AttributeDefinition("number", .integer64, isOptional: true, isIndexed: true)])
            )
        case .toFiles: (model([data(false)]), model([data(true)]))
        case .toRows: (model([data(true)]), model([data(false)]))
        }
    }

    private func fill(_ harness: MigrationHarness, _ kind: Kind) throws {
        try harness.fill { bench in
            let connection = bench.writer.connection
            let isFiled = kind == .toFiles || kind == .toRows
            try connection.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.count)) "
                    + "INSERT INTO ZNOTE(Z_PK, Z_ENT, Z_OPT, ZTITLE, ZBORN\(isFiled ? "" : ", ZNUMBER")) "
                    + "SELECT i, 1, 1, 'note number ' || (i * 7919 % 1000003), i\(isFiled ? "" : ", i") FROM n"
            )
            try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Self.count) WHERE Z_ENT = 1")
            // What has nothing to do with it does not count.
            try connection.execute(
                "INSERT INTO ZOTHER(Z_PK, Z_ENT, Z_OPT, ZTEXT) "
                    + "SELECT Z_PK, 2, 1, hex(zeroblob(500)) FROM ZNOTE WHERE Z_PK < 5000")
            if isFiled {
                for key in 1...20 {
                    let value = ByteRuns(data: [UInt8](repeating: 7, count: 200_000), ends: [200_000])
                    let column = try Column(property: bench.property("Note", "data"), values: .bytes(value))
                    try bench.save(updates: [bench.update("Note", Int64(key), version: 1, [column])])
                }
            }
            try bench.writer.checkpointFully()
        }
    }

    @Test(arguments: Kind.allCases)
    func `the room that a look tells of is what the migration takes, and not much more`(kind: Kind) throws {
        let (old, new) = Self.models(kind)
        try withMigration(from: old, to: new) { harness in
            try fill(harness, kind)
            let vfs = try SQLiteVFS()
            let migration = try harness.migration(vfs: vfs)
            let plan = try migration.plan()
            #expect(plan.obstacles.isEmpty)
            let before = try byteCount(in: harness.path)
            vfs.startCounting()
            let outcome = try migration.run()
            vfs.stopCounting()
            let after = try byteCount(in: harness.path)
            let filed = after.filed - before.filed
            let grown = after.file - before.file
            let taken = vfs.bytesWritten(to: .wal) + max(0, grown) + max(0, filed) + after.copies
            #expect((outcome.backup != nil) == plan.dropsData)
            #expect(plan.byteCount >= taken, "\(plan.byteCount) for \(taken)")
            #expect(plan.byteCount < 2 * taken + (1 << 20), "\(plan.byteCount) for \(taken)")
            #expect((plan.seconds > 0) == (kind != .optional && kind != .indexed))
        }
    }

    /// Bytes of the store's file, of values beside it, and of copies of before.
    private func byteCount(in path: String) throws -> (file: Int, filed: Int, copies: Int) {
        var (file, filed, copies) = (0, 0, 0)
        for case let name as String in try #require(FileManager.default.enumerator(atPath: path)) {
            let facts = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
            guard facts[.type] as? FileAttributeType == .typeRegular, let size = facts[.size] as? Int else {
                continue
            }
            if name.contains("_EXTERNAL_DATA") {
                filed += size
            } else if name.contains(".backup-") {
                copies += size
            } else if name == MigrationHarness.name {
                file = size
            }
        }
        return (file, filed, copies)
    }

    @Test func `numbers that a smaller type cannot hold are counted before, and refused`() throws {
        let old = Self.model([AttributeDefinition("number", .integer64, isOptional: true)])
        let new = Self.model([AttributeDefinition("number", .integer16, isOptional: true)])
        try withMigration(from: old, to: new) { harness in
            try harness.fill { bench in
                let numbers = try bench.integers("Note", "number", [1, 32_767, 32_768, -32_769, 1 << 40])
                try bench.save(inserts: [bench.insert("Note", [numbers], count: 5)])
            }
            let plan = try harness.migration().plan()
            guard
                case .unconvertible("Note", "number", "Integer 64", "Integer 16", 3, _)? = plan.obstacles
                    .first
            else { return #expect(Bool(false), "\(plan.obstacles)") }
            let error = #expect(throws: StoreError.self) { try harness.migration().run() }
            #expect(error == .unmigratable(path: "\(harness.path)/Test.sqlite", obstacles: plan.obstacles))
        }
    }

    @Test func `a decimal that is not a number is not taken for 0 where it becomes another type`() throws {
        let old = Self.model([AttributeDefinition("number", .decimal, isOptional: true)])
        let new = Self.model([AttributeDefinition("number", .double, isOptional: true)])
        try withMigration(from: old, to: new) { harness in
            try harness.fill { bench in
                try bench.save(inserts: [bench.insert("Note", count: 2)])
                try bench.writer.connection.execute("UPDATE ZNOTE SET ZNUMBER = 'NaN' WHERE Z_PK = 2")
            }
            let plan = try harness.migration().plan()
            guard case .unconvertible("Note", "number", _, _, 1, let examples)? = plan.obstacles.first else {
                return #expect(Bool(false), "\(plan.obstacles)")
            }
            #expect(examples.map(\.value) == ["NaN"])
        }
    }
}
