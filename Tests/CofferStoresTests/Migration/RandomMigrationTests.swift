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
            try RandomObjects.fill(
                MigrationHarness(path: path, source: model, destination: model), &generator)
            for _ in 0..<4 {
                models.advance()
                guard let next = models.model else { continue }
                let harness = MigrationHarness(path: path, source: model, destination: next)
                guard try harness.compare("seed \(seed)") else { continue }
                model = next
            }
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
