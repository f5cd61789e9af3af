import CofferFormats
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// Fetches from a file that Core Data wrote; it is not part of the package, and the test says so if it is
/// absent.
struct QuerySampleStoreTests {
    private static let folder: String? = {
        let package = URL(filePath: #filePath).appending(path: "../../..").standardized
        let places: [String?] = [
            ProcessInfo.processInfo.environment["COFFER_FIXTURES"],
            package.appending(path: "../shared/fixtures").standardized.path,
        ]
        return places.compactMap { $0.map { $0 + "/stores/coredataplus" } }.first {
            FileManager.default.fileExists(atPath: $0 + "/SampleModel_V1.sqlite")
        }
    }()

    @Test(.enabled(if: folder != nil, "the fixtures are not there: set COFFER_FIXTURES to test over them"))
    func `a store of Core Data answers as Core Data does`() throws {
        let folder = try #require(Self.folder)
        let copy = FileManager.default.temporaryDirectory.appending(
            path: "coffer-\(UUID().uuidString).sqlite"
        ).path
        try FileManager.default.copyItem(atPath: folder + "/SampleModel_V1.sqlite", toPath: copy)
        defer {
            for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + ending) }
        }
        let model = try ModelFile.read(path: folder + "/SampleModel.xcdatamodeld/SampleModel.xcdatamodel")
        let schema = try SQLSchema(model: model, configuration: "Default")
        let reader = try StoreReader(
            connection: SQLiteConnection(path: copy, mode: .readOnly), schema: schema)
        func count(_ entity: String, _ format: String = "TRUEPREDICATE", sub: Bool = true) throws -> UInt64 {
            var fetch = FetchDescription(entityName: entity, predicate: try QueryPredicate(format: format))
            fetch.includesSubentities = sub
            let rows = try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch)).count
            fetch.resultType = .count
            #expect(try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch)).count == rows)
            return rows
        }
        #expect(try count("Person") == 20)
        #expect(try count("Car") == 125)
        #expect(try count("Car", sub: false) == 115)
        #expect(
            try count("SportCar") == 10 && count("SportCar", sub: false) == 5
                && count("ExpensiveSportCar") == 5)
        #expect(try count("Car", "maker == 'FIAT'") == 103)
        #expect(
            try count("Person", "lastName == 'Moreton'") == 2
                && count("Person", "lastName == 'MoretonXYZ'") == 0)
        #expect(try count("Car", "owner != nil") == 118 && count("Car", "owner == nil") == 7)
        #expect(
            try count("Person", "SUBQUERY(cars, $c, $c.maker == 'FIAT').@count == 0")
                == count("Person", "NONE cars.maker == 'FIAT'"))
        var makers = FetchDescription(entityName: "Car")
        makers.resultType = .dictionaries
        makers.propertiesToFetch = ["maker"]
        makers.returnsDistinctResults = true
        #expect(try reader.fetch(FetchRequestMessage(store: 1, fetch: makers)).count == 10)
        let person = try #require(model.entity(named: "Person"))
        let keys =
            try reader.fetch(FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Person")))
            .rows?.makePrimaryKeys() ?? []
        let cars = try #require(person.propertyIndex(named: "cars"))
        let owned = try reader.relationship(
            RelationshipRequestMessage(store: 1, entity: person.index, property: cars, primaryKeys: keys))
        #expect(owned.primaryKeys.count == 118 && owned.ends.count == 20)
        let rows = try reader.rows(
            RowsRequestMessage(
                store: 1, entity: owned.entities.first.map(Int.init) ?? 0, primaryKeys: owned.primaryKeys))
        #expect(rows.batches.map(\.rowCount).reduce(0, +) == 118)
    }
}
