import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Foundation
import Synchronization
import TestSupport
import Testing

/// A value whose file is missing costs itself, and nothing else of its object, its entity or its store.
struct MissingFileTests {
    private final class Told: Sendable {
        let values = Mutex<[MissingValue]>([])
        var descriptions: [String] { values.withLock { $0.map(\.description) } }
    }

    /// Lends a store of two pictures, of which the file of the first is missing, and its name.
    private func withMissing(_ body: (Bench, String, Told) throws -> Void) throws {
        try withTemporaryFolder { path in
            let told = Told()
            let file = try Gallery.open(in: path) { options in
                options.missingValues = MissingValues { value in told.values.withLock { $0.append(value) } }
            }
            let bench = try Bench(file)
            try bench.save(inserts: [
                bench.pictures([Gallery.large(1), Gallery.large(2)], codes: ["one", "two"])
            ])
            let name = try #require(
                bench.query("SELECT CAST(substr(ZDATA, 2, 36) AS TEXT) FROM ZPICTURE WHERE Z_PK = 1").first)
            _ = try file.folder.unlink(".Test_SUPPORT/_EXTERNAL_DATA/\(name)")
            try body(bench, name, told)
        }
    }

    /// What the row of the first picture has.
    private func stored(_ bench: Bench) throws -> String {
        try bench.query("SELECT CAST(substr(ZDATA, 2, 36) AS TEXT) FROM ZPICTURE WHERE Z_PK = 1")[0]
    }

    @Test func `the others are read, and a change of another attribute leaves the row its file`() throws {
        try withMissing { bench, name, _ in
            #expect(try bench.data() == [2: Gallery.large(2)])
            try bench.save(updates: [
                bench.update("Picture", 1, version: 1, [bench.text("Picture", "code", ["uno"])])
            ])
            #expect(try stored(bench) == name)
            #expect(try bench.query("SELECT ZCODE FROM ZPICTURE WHERE Z_PK = 1") == ["uno"])
        }
    }

    @Test(arguments: [MergePolicyMessage.overwrite, .objectTrump, .storeTrump])
    func `whatever a policy decides about a conflict, the row goes on naming its file`(
        policy: MergePolicyMessage
    ) throws {
        try withMissing { bench, name, _ in
            try bench.save(updates: [
                bench.update("Picture", 1, version: 1, [bench.text("Picture", "code", ["uno"])])
            ])
            var group = try bench.update(
                "Picture", 1, version: 1, [bench.text("Picture", "code", ["eins"])],
                old: [bench.text("Picture", "code", ["one"])])
            group.otherColumns = [try bench.bytes("data", [nil]), try bench.bytes("mask", [nil])]
            _ = try bench.execute(bench.request(policy: policy, updates: [group]))
            #expect(try stored(bench) == name)
            #expect(
                try bench.query("SELECT ZCODE FROM ZPICTURE WHERE Z_PK = 1")
                    == [policy == .storeTrump ? "uno" : "eins"])
        }
    }

    @Test func `a conflict is answered with null, and told with object, attribute and file`() throws {
        try withMissing { bench, name, told in
            let stale = try bench.request(
                policy: .error,
                updates: [bench.update("Picture", 1, version: 7, [bench.text("Picture", "code", ["x"])])])
            guard case .conflicts(let conflicts) = try bench.execute(stale).reply else {
                return #expect(Bool(false))
            }
            let data = try bench.property("Picture", "data")
            let column = try #require(conflicts.first?.stored?.columns.first { $0.property == data })
            #expect(column.isNull(0))
            #expect(told.descriptions.count == 1)
            let text = try #require(told.descriptions.first)
            #expect(text.hasPrefix("Picture/p1.data of ") && text.contains(name), "\(text)")
        }
    }

    @Test func `what an application sets is written, and a delete goes through`() throws {
        try withMissing { bench, _, _ in
            try bench.save(updates: [
                bench.update("Picture", 1, version: 1, [bench.bytes("data", [nil])])
            ])
            #expect(try bench.query("SELECT ZDATA FROM ZPICTURE WHERE Z_PK = 1") == ["NULL"])
        }
        try withMissing { bench, _, _ in
            try bench.save(deletes: [bench.delete("Picture", [1])])
            #expect(try bench.query("SELECT Z_PK FROM ZPICTURE") == ["2"])
            #expect(try bench.writer.integrityCheck() == [])
        }
    }

    @Test func `nothing is computed of a value that is missing`() throws {
        try withMissing { bench, name, _ in
            var request = bench.request()
            request.batch = BatchMessage(updates: [
                BatchUpdateMessage(
                    entity: "Picture",
                    assignments: [AssignmentMessage(property: "mask", expression: .keyPath(["data"]))])
            ])
            #expect(throws: StoreError.self) { try bench.execute(request) }
            let masks = try bench.query("SELECT ZMASK FROM ZPICTURE WHERE ZMASK IS NOT NULL")
            #expect(masks == [])
            #expect(try stored(bench) == name)
        }
    }
}
