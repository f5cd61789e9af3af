import CofferDBus
import CofferLinux
import CofferModel
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// Lends a service, a client and a packed fetch that compares each three of two thousand notes, which would
/// take hours.
func withLongFetch(
    environment: [String: String] = [:], isServedOn: Bool = true,
    _ body: (ServiceUnderTest, RawClient, [UInt8]) throws -> Void
) throws {
    try withService(environment: environment) { service in
        let client = try service.channel()
        let store = try client.open()
        let count = 2_000
        try client.insertForLongWork(count, into: store)
        try body(service, client, try store.fetch(longPredicate(), count: true).packed())
        guard isServedOn else { return }
        let note: FetchReplyMessage = try client.call(.fetch, store.fetch(count: true))
        #expect(note.count == UInt64(count), "the store is served on")
    }
}

/// Compares each three notes of a folder.
func longPredicate() throws -> QueryPredicate {
    try QueryPredicate(
        format: """
            SUBQUERY(folder.notes, $a, \
            SUBQUERY(folder.notes, $b, $b.stars == $a.stars).@count > 9999999).@count > 9999999
            """)
}

extension RawClient {
    /// Saves so many notes in one folder.
    func insertForLongWork(_ count: Int, into store: OpenNotes) throws {
        let folder = InsertGroup(
            entity: try Notes.entity("Folder"), temporaryIDs: [UUID()], columns: [])
        let notes = InsertGroup(
            entity: store.note, temporaryIDs: (0..<count).map { _ in UUID() },
            columns: [
                Column(
                    property: try Notes.property("folder"),
                    values: .references(
                        keys: Array(repeating: -1, count: count),
                        entities: Array(repeating: UInt32(folder.entity), count: count)))
            ])
        let save = SaveRequestMessage(store: store.handle, request: requestID(), inserts: [folder, notes])
        guard case .saved = try call(.save, save) as SaveReplyMessage else {
            throw ServiceUnderTest.Missing()
        }
    }
}

extension ServiceUnderTest {
    /// How many fetches of the store ended before they were done.
    func interruptions() throws -> UInt64 {
        let reply = try connection().call(
            BusNames.name, path: Notes.path("Notes", user: CurrentProcess.userID),
            interface: "org.freedesktop.DBus.Properties", member: "Get",
            body: [.string("org.coffer.Storage1.Store"), .string("Interruptions")])
        guard case .variant(.uint64(let count)) = try #require(reply.body.first) else {
            throw Missing()
        }
        return count
    }
}
