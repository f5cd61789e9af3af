import CofferCoordination
import CofferSQLite
import CofferStores
import TestSupport
import Testing

/// Options of several clients that have one store open.
@Suite struct SharedStoreOptionTests {
    /// What SQLite says of the connection that writes: `synchronous`, then `secure_delete`.
    private func state(_ notes: NoteStore) throws -> [String] {
        try notes.store.write { writer throws(StoreError) in
            try ["synchronous", "secure_delete"].map { name throws(StoreError) in
                do { return try writer.connection.pragma(name) ?? "" } catch { throw .other("\(error)") }
            }
        }
    }

    @Test func `the strictest client that has a store open decides how it is written`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path, pragmas: ["synchronous": "normal", "secure_delete": "0"])
            #expect(try state(notes) == ["1", "0"])
            try notes.store.tighten(["synchronous": "NORMAL", "secure_delete": "off"])
            #expect(try state(notes) == ["1", "0"])
            try notes.store.tighten(["synchronous": "NORMAL", "secure_delete": "FAST"])
            #expect(try state(notes) == ["1", "2"])
            try notes.store.tighten(["secure_delete": "OFF"])
            #expect(try state(notes) == ["2", "2"], "an opener that asks for nothing wants saves to last")
            try notes.store.tighten(["synchronous": "NORMAL"])
            let usual = try SQLiteConnection(path: ":memory:").pragma("secure_delete")
            #expect(try state(notes) == ["2", usual == "1" ? "1" : "2"], "and overwrites where SQLite does")
            try notes.store.tighten(["synchronous": "EXTRA", "secure_delete": "1"])
            #expect(try state(notes) == ["3", "1"])
            #expect(throws: StoreError.pragmaRefused(name: "nonsense")) {
                try notes.store.tighten(["nonsense": "1"])
            }
            #expect(throws: StoreError.pragmaRefused(name: "synchronous")) {
                try notes.store.tighten(["synchronous": "OFF"])
            }
        }
    }
}
