import CofferFormats
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Every store of Core Data's at hand: read and compared with plain SQL, and a copy written to.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct ForeignStoreTests {
    /// The stores below `stores`, each with the model's file if the store keeps no model.
    static let stores: [(store: String, model: String?)] =
        [
            ("bookmigration/Model1.sqlite", "bookmigration/Model.xcdatamodeld/Model1.xcdatamodel"),
            (
                "surfjournal/SurfJournalModel.sqlite",
                "surfjournal/SurfJournalModel.xcdatamodeld/SurfJournalModel.xcdatamodel"
            ),
        ] + (ModelCacheFixtureTests.stores.map { ($0, nil) })

    private static func withCopy(_ place: Int, _ body: (String, StoreModel?) throws -> Void) throws {
        let root = try FixtureFolder.required() + "/stores"
        let (store, modelPath) = stores[place]
        let model = try modelPath.map { try StoreModel(ModelFile.read(path: "\(root)/\($0)")) }
        try withTemporaryFolder { path in
            for suffix in ["", "-wal"]
            where FileManager.default.fileExists(atPath: "\(root)/\(store)\(suffix)") {
                try FileManager.default.copyItem(
                    atPath: "\(root)/\(store)\(suffix)", toPath: "\(path)/Test\(suffix)")
            }
            try body(path, model)
        }
    }

    private static func count(_ sql: String, on connection: SQLiteConnection) throws -> Int64 {
        let statement = try connection.prepare(sql)
        return try statement.step() ? statement.int64(0) : 0
    }

    @Test(arguments: stores.indices)
    func `rows, relationships and history are those that plain SQL finds`(place: Int) throws {
        try Self.withCopy(place) { path, model in
            var options = StoreOptions()
            options.isReadOnly = true
            let file = try StoreFile.open(
                in: Folder(at: path), fileName: "Test", model: model, options: options)
            let plain = try SQLiteConnection(path: "\(path)/Test", mode: .readOnly)
            let reader = try StoreReader(connection: file.makeReader(), schema: file.schema)
            for entity in file.model.model.entities {
                let stored = try #require(file.schema.entities[entity.index])
                let numbers = stored.familyNumbers.map(String.init).joined(separator: ", ")
                let rows = try Self.count(
                    "SELECT count(*) FROM \(stored.table) WHERE Z_ENT IN (\(numbers))", on: plain)
                var fetch = FetchDescription(entityName: entity.name)
                fetch.resultType = .count
                let counted = try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch)).count
                #expect(Int64(counted) == rows, "\(entity.name)")
                for property in stored.columns {
                    switch property {
                    case .manyToMany(let table, let own, let other, let order, _):
                        let columns = ([own, other] + [order].compactMap(\.self)).joined(separator: ", ")
                        _ = try Self.count("SELECT \(columns) FROM \(table)", on: plain)
                    case .toOne(let column, let entityColumn, let destination):
                        let target = try file.schema.entity(at: destination)
                        let lost = try Self.count(
                            "SELECT count(*) FROM \(stored.table) o WHERE o.\(column) NOT NULL AND NOT EXISTS "
                                + "(SELECT 1 FROM \(target.table) t WHERE t.Z_PK = o.\(column)"
                                + (entityColumn.map { " AND t.Z_ENT = o.\($0)" } ?? "")
                                + ") AND o.Z_ENT IN (\(numbers))",
                            on: plain)
                        #expect(lost == 0, "\(entity.name).\(column)")
                    case .toMany, .attribute, .unsupported, nil: break
                    }
                }
            }
            try compareHistory(of: file, with: plain)
        }
    }

    private func compareHistory(of file: StoreFile, with plain: SQLiteConnection) throws {
        guard file.hasHistory else { return }
        let history = try HistoryReader(connection: file.makeReader(), file: file)
        let request = HistoryRequestMessage(store: 0, storeUUID: file.uuid, after: try history.floor())
        guard case .transactions(let transactions, _, _) = try history.reply(to: request) else {
            Issue.record("the history is not there")
            return
        }
        let rows = try Self.count("SELECT count(*) FROM ATRANSACTION", on: plain)
        #expect(transactions.count == rows)
        let changes = transactions.flatMap(\.changes).reduce(0) { $0 + $1.primaryKeys.count }
        #expect(try Int64(changes) == Self.count("SELECT count(*) FROM ACHANGE", on: plain))
    }

    @Test(arguments: stores.indices)
    func `a copy is written to, stays sound, and is read again`(place: Int) throws {
        try Self.withCopy(place) { path, model in
            var options = StoreOptions()
            options.foreignFiles = .adopted
            let tables: [String]
            var wanted: (entity: String, rows: Int64)?
            do {
                let file: StoreFile
                do {
                    file = try StoreFile.open(
                        in: Folder(at: path), fileName: "Test", model: model, options: options)
                } catch let error as StoreError {
                    // What Coffer cannot keep right is never written.
                    let fixture = "stores/" + Self.stores[place].store
                    return #expect(error.reason == ForeignFixtureTests.refusals[fixture], "\(error)")
                }
                tables = file.schema.tables.map(\.name) + file.schema.joinTables.map(\.name)
                let bench = try Bench(file)
                bench.followCalendar()
                let plain = try SQLiteConnection(path: "\(path)/Test", mode: .readOnly)
                let entity = file.model.model.entities.first { entity in
                    !entity.isAbstract && !entity.attributes.contains { !$0.isOptional && !$0.isTransient }
                        && !entity.relationships.contains { !$0.isOptional }
                        && entity.definition.uniquenessConstraints.isEmpty
                }
                if let entity {
                    let stored = try file.schema.entity(at: entity.index)
                    let count = "SELECT count(*) FROM \(stored.table)"
                    let before = try Self.count(count, on: plain)
                    try bench.save(inserts: [bench.insert(entity.name)])
                    wanted = (stored.table, before + 1)
                }
                #expect(try bench.writer.integrityCheck() == [])
            }
            let again = try StoreFile.open(
                in: Folder(at: path), fileName: "Test", model: model, options: options)
            #expect(again.schema.tables.map(\.name) + again.schema.joinTables.map(\.name) == tables)
            if let wanted {
                let rows = try Self.count("SELECT count(*) FROM \(wanted.entity)", on: again.makeReader())
                #expect(rows == wanted.rows)
            }
        }
    }
}
