import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import Foundation
import TestSupport
import Testing

/// The copies that migrations keep of what they drop.
@Suite struct MigrationBackupTests {
    private static let old = [
        EntityDefinition(
            "Tag",
            attributes: [
                AttributeDefinition("name", .string, isOptional: true),
                AttributeDefinition("draft", .string, isOptional: true),
            ])
    ]
    private static let new = [
        EntityDefinition("Tag", attributes: [AttributeDefinition("name", .string, isOptional: true)])
    ]
    private static let copy = "Test.sqlite.backup-1"

    private func fill(_ harness: MigrationHarness) throws {
        try harness.fill { bench in
            let columns = [
                try bench.text("Tag", "name", ["a", "b"]), try bench.text("Tag", "draft", ["x", nil]),
            ]
            try bench.save(inserts: [bench.insert("Tag", columns, count: 2)])
        }
    }

    private func copies(_ harness: MigrationHarness) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: harness.path)
            .filter { $0.contains("backup") || $0.hasSuffix(".part") }.sorted()
    }

    private func migrate(
        _ harness: MigrationHarness, keepsBackup: Bool = true, isAutomatic: Bool = false,
        back: Bool = false, _ progress: @escaping (MigrationProgress) -> Bool = { _ in true }
    ) throws -> StoreMigration.Outcome {
        var options = StoreOptions()
        options.migration = MigrationOptions(keepsBackup: keepsBackup, isAutomatic: isAutomatic)
        return try StoreMigration(
            of: MigrationHarness.name, in: harness.folder(),
            to: StoreModel(back ? harness.source : harness.destination), options: options
        ).run(progress: progress)
    }

    @Test(arguments: MigrationProgress.allCases)
    func `no copy is left of a migration that was stopped`(at step: MigrationProgress) throws {
        try withMigration(from: Self.old, to: Self.new) { harness in
            try fill(harness)
            #expect(throws: StoreError.interrupted) { try migrate(harness) { $0 != step } }
            #expect(try copies(harness) == [])
            let file = try harness.open(harness.source)
            #expect(try file.migrationBackups(on: file.makeReader()) == [])
        }
    }

    @Test func `a migration is stopped in the middle of a statement`() throws {
        let ranked = [
            EntityDefinition(
                "Tag",
                attributes: Self.old[0].attributes + [
                    AttributeDefinition("rank", .integer64, defaultValue: .integer(1))
                ])
        ]
        try withMigration(from: Self.old, to: ranked) { harness in
            try harness.fill { bench in
                try bench.writer.connection.execute(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
                        + "INSERT INTO ZTAG(Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, 1, 1, i FROM n")
            }
            var questions = 0
            #expect(throws: StoreError.interrupted) {
                try migrate(harness) { step in
                    if step == .rows { questions += 1 }
                    return questions < 3
                }
            }
            #expect(questions == 3)
            let bench = try Bench(harness.open(harness.source))
            #expect(try bench.query("SELECT count(*) FROM ZTAG") == ["100000"])
            #expect(try bench.file.integrityCheck(on: bench.file.makeReader()) == [])
        }
    }

    @Test func `a file that has the copy's name stays, and the copy gets another`() throws {
        try withMigration(from: Self.old, to: Self.new) { harness in
            try fill(harness)
            let own = harness.path + "/" + Self.copy
            try "mine".write(toFile: own, atomically: false, encoding: .utf8)
            #expect(try migrate(harness).backup == Self.copy + "-2")
            #expect(try String(contentsOfFile: own, encoding: .utf8) == "mine")
            let copy = try Bench(harness.open(harness.source, as: Self.copy + "-2"))
            #expect(try copy.query("SELECT ZDRAFT FROM ZTAG") == ["x", "NULL"])
        }
    }

    @Test func `a copy is removed once it is old, and nothing else is`() throws {
        try withMigration(from: Self.old, to: Self.new) { harness in
            try fill(harness)
            #expect(try migrate(harness).backup == Self.copy)
            let others = ["Test.sqlite.backup-", "Test.sqlite.backup-1x", "Other.sqlite.backup-1"]
            for name in others {
                try "mine".write(toFile: harness.path + "/" + name, atomically: false, encoding: .utf8)
            }
            do {
                let file = try harness.open(harness.destination)
                let writer = try file.makeWriter()
                for name in others + ["../" + Self.copy] {
                    try writer.connection.execute(
                        "INSERT INTO COFFER_STATE(name, value) VALUES('backup:\(name)', 0)")
                }
            }
            let today = Date().timeIntervalSinceReferenceDate
            for (days, isThere) in [(29.0, true), (32.0, false)] {
                var options = StoreOptions()
                options.environment = StoreEnvironment(now: { today + days * 86_400 })
                let file = try StoreFile.open(
                    in: harness.folder(), fileName: MigrationHarness.name,
                    model: StoreModel(harness.destination), options: options)
                #expect(try copies(harness).contains(Self.copy) == isThere)
                #expect(try file.migrationBackups(on: file.makeReader()).contains(Self.copy) == isThere)
            }
            #expect(try copies(harness) == others.sorted())
        }
    }

    @Test func `no copy is kept where none is wanted, or nothing is lost`() throws {
        try withMigration(from: Self.old, to: Self.new) { harness in
            try fill(harness)
            let outcome = try migrate(harness, keepsBackup: false)
            #expect(outcome.backup == nil && outcome.plan.dropsData)
            #expect(try copies(harness) == [])
        }
        try withMigration(from: Self.new, to: Self.old) { harness in
            try harness.fill { bench in try bench.save(inserts: [bench.insert("Tag")]) }
            #expect(try migrate(harness).backup == nil)
            #expect(try copies(harness) == [])
        }
    }

    @Test func `values that are computed from now on are kept in the copy`() throws {
        var derived = AttributeDefinition("draft", .string, isOptional: true)
        derived.derivationExpression = "canonical:(name)"
        let computed = [EntityDefinition("Tag", attributes: [Self.old[0].attributes[0], derived])]
        try withMigration(from: Self.old, to: computed) { harness in
            try fill(harness)
            let outcome = try migrate(harness)
            #expect(outcome.backup == Self.copy)
            let draft = outcome.plan.entities.first?.properties.first { $0.name == "draft" }
            #expect(draft?.droppedCount == 1 && draft?.detail == "computed from now on")
            #expect(
                try Bench(harness.open(harness.destination)).query("SELECT ZDRAFT FROM ZTAG") == ["a", "b"])
            let copy = try Bench(harness.open(harness.source, as: Self.copy))
            #expect(try copy.query("SELECT ZDRAFT FROM ZTAG") == ["x", "NULL"])
        }
    }

    @Test func `a store does not go back to a model by itself, and goes on again after it was taken back`()
        throws
    {
        try withMigration(from: Self.old, to: Self.new) { harness in
            try fill(harness)
            #expect(try migrate(harness, isAutomatic: true).number == 2)
            let refused = try migrate(harness, isAutomatic: true, back: true)
            #expect(refused.number == nil && refused.plan.isReturn)
            _ = try Bench(harness.open(harness.destination))
            let outcome = try migrate(harness, back: true)
            #expect(outcome.plan.isReturn && outcome.number == 3)
            #expect(try migrate(harness, isAutomatic: true).number == 4)
        }
    }

    @Test func `copies go with their store, and nothing that only says to be one`() throws {
        try withMigration(from: Self.old, to: Self.new) { harness in
            try fill(harness)
            #expect(try migrate(harness).backup == Self.copy)
            let other = harness.path + "/Other.sqlite.backup-1"
            try "mine".write(toFile: other, atomically: false, encoding: .utf8)
            do {
                let file = try harness.open(harness.destination)
                try file.makeWriter().connection.execute(
                    "INSERT INTO COFFER_STATE(name, value) VALUES('backup:Other.sqlite.backup-1', 0)")
            }
            #expect(try StoreFile.remove(MigrationHarness.name, in: harness.folder()))
            #expect(try copies(harness) == ["Other.sqlite.backup-1"])
        }
    }

    @Test func `a look says how long it takes where rows change`() throws {
        for (model, isLong) in [(Self.new, true), (Self.old + [EntityDefinition("Zone")], false)] {
            try withMigration(from: Self.old, to: model) { harness in
                try fill(harness)
                let plan = try harness.migration().plan()
                #expect((plan.seconds > 0) == isLong)
            }
        }
    }
}
