import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import Foundation
import TestSupport
import Testing

/// Migrations of many rows.
@Suite(.serialized) struct LargeMigrationTests {
    private static let count = 200_000

    private static func contact(_ attributes: AttributeDefinition...) -> [EntityDefinition] {
        [
            EntityDefinition(
                "Contact",
                attributes: [
                    AttributeDefinition("name", .string, isOptional: true, isIndexed: true),
                    AttributeDefinition("born", .date, isOptional: true),
                ] + attributes)
        ]
    }

    /// Many rows, as SQLite alone writes them.
    private func fill(_ harness: MigrationHarness) throws {
        try harness.fill { bench in
            let connection = bench.writer.connection
            try connection.begin(.immediate)
            try connection.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.count)) "
                    + "INSERT INTO ZCONTACT(Z_PK, Z_ENT, Z_OPT, ZNAME, ZBORN) "
                    + "SELECT i, 1, 1, 'somebody number ' || (i * 7919 % 1000003), i FROM n")
            try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Self.count) WHERE Z_ENT = 1")
            try connection.commit()
        }
    }

    @Test func `a new attribute takes the statements that it needs, and touches no other table or index`()
        throws
    {
        let new = Self.contact(AttributeDefinition("rank", .integer64, defaultValue: .integer(1)))
        try withMigration(from: Self.contact(), to: new) { harness in
            try fill(harness)
            let vfs = try SQLiteVFS()
            let migration = try harness.migration(vfs: vfs)
            let plan = try migration.plan()
            #expect(
                plan.copiedTables.isEmpty
                    && plan.entities.first?.properties.first?.defaultedCount == Self.count)
            vfs.startCounting()
            _ = try migration.run()
            vfs.stopCounting()
            // Each page of the table once into the log, and from there into the file; the index stays.
            let bench = try Bench(harness.open(harness.destination))
            let pages = try bench.query("SELECT count(*) FROM dbstat WHERE name = 'ZCONTACT'")
            let table = try #require(pages.first.flatMap { Int($0) })
            #expect(vfs.bytesWritten(to: .wal) < (table + 200) * 4_200)
            #expect(
                try bench.query("SELECT count(*), sum(ZRANK) FROM ZCONTACT") == [
                    "\(Self.count)|\(Self.count)"
                ])
        }
    }

    @Test func `an attribute without a default takes no longer than the schema`() throws {
        let new = Self.contact(AttributeDefinition("note", .string, isOptional: true))
        try withMigration(from: Self.contact(), to: new) { harness in
            try fill(harness)
            let vfs = try SQLiteVFS()
            let migration = try harness.migration(vfs: vfs)
            vfs.startCounting()
            _ = try migration.run()
            vfs.stopCounting()
            // What was in the log before goes into the file as well.
            #expect(vfs.bytesWritten(to: .wal) < 1 << 20)
        }
    }
}
