import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// What travels of errors: a code that says which side can do something, and a text without system calls
/// and SQL.
struct ErrorCodeTests {
    @Test func `what the system refuses has a code and says what to do`() throws {
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            try folder.replace("file", with: [1])
            let pathOnly = try folder.openBeneath("file", [.pathOnly])
            let reading = error { () throws(LinuxError) in _ = try pathOnly.read(upTo: 1, at: 0) }
            #expect(
                reading?.code == .invalidArgument && reading?.text.contains("open it for reading") ?? false)
            let missing = error { () throws(LinuxError) in _ = try folder.folder("not/there") }
            #expect(missing?.code == .notFound && missing?.text.contains("not/there") ?? false)
            for detail in [reading, missing].compactMap(\.self) {
                #expect(!detail.text.contains("open") || !detail.text.contains("openat"))
                #expect(!detail.text.contains("pread"))
            }
        }
    }

    private func error(_ body: () throws(LinuxError) -> Void) -> ErrorDetailMessage? {
        do throws(LinuxError) {
            try body()
            return nil
        } catch {
            return StoreError(error).detail
        }
    }

    @Test func `what has run out is told by its name`() {
        for (number, reason) in [
            (24, "out_of_descriptors"), (23, "out_of_descriptors"), (12, "out_of_memory"),
        ] as [(Int32, String)] {
            let detail = StoreError(LinuxError.system(call: "openat2", errno: number, path: "/x")).detail
            #expect(detail.code == .resourceExhausted && detail.reason == reason)
            #expect(!detail.text.contains("openat2"))
            let sqlite = StoreError(
                SQLiteError.cannotOpen(path: "/x", systemError: number, message: "unable to open"))
            #expect(sqlite.detail.reason == reason)
        }
    }

    /// Makes nonsense of the text of a table.
    private func breakSchema(_ path: String) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(bytes.range(of: Data("CREATE TABLE ZTAG".utf8)))
        bytes.replaceSubrange(place, with: Data("CREATE nonsense g".utf8))
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    @Test(arguments: [
        "ALTER TABLE ZTAG RENAME COLUMN ZNAME TO ZOTHER", "DROP TABLE ZTAG",
        "",
    ])
    func `a damaged schema is told as damage, without its SQL`(sql: String) throws {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(
                    StoreFile.open(
                        in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(Library.model())))
                try bench.writer.checkpointFully()
            }
            try SQLiteConnection(path: path + "/Test.sqlite").execute(sql)
            if sql.isEmpty { try breakSchema(path + "/Test.sqlite") }
            do {
                let bench = try Bench(
                    StoreFile.open(
                        in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(Library.model())))
                try bench.save(inserts: [bench.insert("Tag", [bench.text("Tag", "name", ["red"])])])
                Issue.record("it was taken")
            } catch let error as StoreError {
                #expect(
                    error.detail.code == .dataLoss || error.detail.code == .failedPrecondition, "\(error)")
                #expect(
                    !error.detail.text.contains("nonsense") && !error.detail.text.contains("INSERT"),
                    "\(error)")
            }
        }
    }

    @Test func `of a mistake of our own a caller is told only that it is one`() {
        let error = StoreError(
            SQLiteError.failed(code: 1, extendedCode: 1, message: "near x", sql: "SELECT x"))
        #expect(error.detail.code == .internal && !error.detail.text.contains("SELECT"))
        #expect(error.description.contains("SELECT"))
    }
}
