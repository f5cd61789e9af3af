import CofferFormats
import CofferModel
import CofferSQLite
import CofferStores
import Foundation
import TestSupport
import Testing

/// The hashes that Core Data wrote into stores, against those of every model at hand.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct VersionHashVectorTests {
    private struct Store: Decodable {
        var hashes: [String: String]
    }

    /// The stores all of whose entities are in a model at hand.
    private static let reproduced = [
        "apple-notes/NoteStore-macOS-12-Monterey.sqlite",
        "apple-notes/NoteStore-macOS-15-Seqoia.sqlite",
        "apple-notes/container-macOS15-Sequioa-NoteStore.sqlite",
        "apple-notes/withwal-macOS15-Sequioa-NoteStore.sqlite",
        "apple-photos/CLSLocationCache-10.15.7.sqlite",
        "apple-photos/Photos-10.15.7-Single-Photo.sqlite",
        "apple-photos/Photos-10.15.7.sqlite",
        "bookmigration/Model1.sqlite",
        "coredataplus/SampleModel/Fixtures/SampleModel_V1.sqlite",
        "coredataplus/SampleModel/Fixtures/SampleModel_V2.sqlite",
        "coredataplus/SampleModel2/Fixtures/SampleModel2_V2.sqlite",
        "coredataplus/history/SampleModelV1-2018-09-22.sqlite",
        "coredataplus/history/SampleModelV2-2018-09-22.sqlite",
        "coredataplus/history/SampleModelV2-2018-11-06.sqlite",
        "duckduckgo/stores/Bookmarks_V1.sqlite",
        "duckduckgo/stores/Bookmarks_V2.sqlite",
        "duckduckgo/stores/Bookmarks_V3.sqlite",
        "duckduckgo/stores/Bookmarks_V4.sqlite",
        "duckduckgo/stores/Bookmarks_V5.sqlite",
        "kodeco-surfjournal/SurfJournalModel.sqlite",
        "plaso/Accounts3.sqlite",
        "plaso/knowledgec-10.14.db",
        "plaso/netusage.sqlite",
        "pulse/logs.sqlite",
    ]

    @Test func `the hashes of all stores whose models are at hand are reproduced`() throws {
        let folder = try FixtureFolder.required()
        let list = try Data(contentsOf: URL(filePath: "\(folder)/version-hashes.json"))
        let stores = try JSONDecoder().decode([String: Store].self, from: list)
        let known = try Self.known(below: folder + "/stores")
        let whole = stores.filter { _, store in
            !store.hashes.isEmpty && store.hashes.allSatisfy { known.contains("\($0.key) \($0.value)") }
        }
        #expect(whole.keys.sorted() == Self.reproduced)
        let all = Set(stores.values.flatMap { $0.hashes.map { "\($0.key) \($0.value)" } })
        // The others are of models that are not at hand.
        #expect(all.intersection(known).count == 162, "of \(all.count)")
    }

    /// Names and hashes of the entities of all models in a folder, be they in files or in stores.
    private static func known(below folder: String) throws -> Set<String> {
        var known: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            if path.hasSuffix(".xcdatamodeld") {
                for version in try ModelFile.versions(path: "\(folder)/\(path)") {
                    known.formUnion(texts(of: version.model))
                }
            } else if path.hasSuffix(".sqlite") || path.hasSuffix(".db") {
                let vfs = try SQLiteVFS(isSealed: true)
                let connection = try SQLiteConnection(path: "\(folder)/\(path)", mode: .readOnly, vfs: vfs)
                let tables = try connection.prepare(
                    "SELECT 1 FROM sqlite_master WHERE name = 'Z_MODELCACHE'")
                guard try tables.step() else { continue }
                let cache = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE")
                guard try cache.step() else { continue }
                known.formUnion(texts(of: try ModelCache.read(cache.blob(0))))
            }
        }
        return known
    }

    private static func texts(of model: ManagedObjectModel) -> [String] {
        VersionHashes(of: model).entities.map { name, hash in
            "\(name) " + hash.map { String(format: "%02x", $0) }.joined()
        }
    }
}
