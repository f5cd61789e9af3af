import CofferFormats
import CofferModel
import CofferSQLite
import CofferStores
import TestSupport
import Testing

/// Compares our layout with that of stores that Core Data made; the stores are not part of the repository.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct FixtureSchemaTests {
    struct Fixture: Sendable, CustomStringConvertible {
        let store: String
        let model: String
        /// Columns and indexes that an in-place migration left in another place.
        var isMigrated = false
        var description: String { store }
    }

    static let fixtures = [
        Fixture(
            store: "coredataplus/SampleModel_V1.sqlite",
            model: "coredataplus/SampleModel.xcdatamodeld/SampleModel.xcdatamodel"),
        Fixture(
            store: "surfjournal/SurfJournalModel.sqlite",
            model: "surfjournal/SurfJournalModel.xcdatamodeld/SurfJournalModel.xcdatamodel"),
        Fixture(
            store: "bookmigration/Model1.sqlite", model: "bookmigration/Model.xcdatamodeld/Model1.xcdatamodel"
        ),
        Fixture(
            store: "duckduckgo/Bookmarks_V1.sqlite",
            model: "duckduckgo/BookmarksModel.xcdatamodeld/BookmarksModel.xcdatamodel"),
        Fixture(
            store: "duckduckgo/Bookmarks_V4.sqlite",
            model: "duckduckgo/BookmarksModel.xcdatamodeld/BookmarksModel 4.xcdatamodel", isMigrated: true),
    ]

    @Test(arguments: fixtures)
    func `tables, columns and indexes are those of Core Data's store`(_ fixture: Fixture) throws {
        let root = try FixtureFolder.required() + "/stores"
        let made = try ModelFile.read(path: root + "/" + fixture.model)
        let ours = try SQLSchema(model: made, configuration: "Default").creationStatements
        let theirs = try schema(of: root + "/" + fixture.store)
        for statement in theirs where statement.hasPrefix("CREATE TABLE") {
            #expect(ours.contains(statement), "\(statement)")
        }
        for statement in theirs where statement.contains("INDEX") && !fixture.isMigrated {
            #expect(ours.contains(statement), "\(statement)")
        }
        let indexes = ours.filter { $0.contains("INDEX") && !$0.contains(" ON A") }
        for statement in indexes { #expect(theirs.contains(statement), "\(statement)") }
    }

    private func schema(of path: String) throws -> [String] {
        let connection = try SQLiteConnection(path: path, mode: .readOnly, vfs: SQLiteVFS(isSealed: true))
        let statement = try connection.prepare("SELECT sql FROM sqlite_master WHERE sql NOT NULL")
        var rows: [String] = []
        while try statement.step() { rows.append(statement.text(0)) }
        return rows
    }
}
