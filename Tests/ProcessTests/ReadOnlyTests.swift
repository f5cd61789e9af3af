import CofferDBus
import CofferLinux
import CofferSQLite
import CofferWire
import TestSupport
import Testing

/// A store that can only be read, and can be written later.
@Suite struct ReadOnlyTests {
    /// Lends a service whose store of notes lacks a table until `body` mends it; no client has it open.
    private func withUnwritableNotes(
        _ body: (ServiceUnderTest, _ mend: () throws -> Void) throws -> Void
    ) throws {
        try withService { service in
            let maker = try service.channel()
            try maker.insert(["Milk"], into: maker.open())
            try service.kill9()
            func rename(_ old: String, to new: String) throws {
                let file = try SQLiteConnection(path: LogFile.path(service, "Notes"), mode: .readWrite)
                try file.execute("ALTER TABLE \(old) RENAME TO \(new)")
            }
            try rename("COFFER_STATE", to: "ELSEWHERE")
            try body(service) { try rename("ELSEWHERE", to: "COFFER_STATE") }
        }
    }

    private func read(_ client: RawClient) throws -> OpenNotes {
        let model: RegisterModelReplyMessage = try client.call(
            .registerModel, RegisterModelRequestMessage(model: try Notes.model()))
        let reply: OpenStoreReplyMessage = try client.call(
            .openStore,
            OpenStoreRequestMessage(name: .init(name: "Notes"), modelID: model.modelID, isReadOnly: true))
        guard case .opened(let opened) = reply else { throw ServiceUnderTest.Missing() }
        return try OpenNotes(opened)
    }

    private func close(_ store: OpenNotes, _ client: RawClient) throws {
        let _: EmptyMessage = try client.call(.closeStore, CloseStoreRequestMessage(store: store.handle))
    }

    @Test
    func `a client that wants to write is told so when the store is opened, whoever reads it`() throws {
        try withUnwritableNotes { service, _ in
            let (reader, writer) = (try service.channel(), try service.channel())
            let store = try read(reader)
            for isRead in [true, false] {
                if !isRead { try close(store, reader) }
                let refusal = #expect(throws: Refusal.self) { try writer.open() }
                #expect(refusal?.reason == "unadoptable", "\(refusal as Any)")
            }
            #expect(try reader.count(read(reader)) == 1)
        }
    }

    @Test
    func `a store that could only be read is opened anew for a writer, once nobody reads it`() throws {
        try withUnwritableNotes { service, mend in
            let (reader, writer) = (try service.channel(), try service.channel())
            let store = try read(reader)
            #expect(try service.property("ReadOnly", ofStore: "Notes") == .boolean(true))
            try mend()
            #expect(throws: Refusal.self) { try writer.open() }
            try close(store, reader)
            try writer.insert(["Tea"], into: writer.open())
            #expect(try service.property("ReadOnly", ofStore: "Notes") == .boolean(false))
            #expect(try reader.count(read(reader)) == 2)
        }
    }
}
