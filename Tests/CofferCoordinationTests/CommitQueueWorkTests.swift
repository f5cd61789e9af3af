import CofferCoordination
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import Synchronization
import TestSupport
import Testing

/// A commit queue by itself: work in the background, and checks for what other programs wrote.
@Suite struct CommitQueueWorkTests {
    @Test func `background work is raised by other work, but not by a check for foreign changes`() throws {
        try withQueue { queue, events, tool in
            queue.perform(isBackground: true) { _ in
                events.note("begins \(priority)")
                queue.perform(isBackground: true) { _ in events.note("next \(priority)") }
                events.note("more background work came \(priority)")
                tool.write("first")
                queue.checkForForeignChanges(isUrgent: true)
                events.note("a check came \(priority)")
                queue.perform { _ in events.note("work \(priority)") }
                events.note("work came \(priority)")
            }
            #expect(
                events.all == [
                    "began", "begins idle", "more background work came idle", "a check came idle", "lifted",
                    "work came ordinary", "foreign nil", "next ordinary", "work ordinary",
                ])
            #expect(priority == "ordinary")
        }
    }

    @Test func `background work that shares its batch with a check is idle, and with other work is not`()
        throws
    {
        try withQueue { queue, events, tool in
            queue.perform { _ in
                queue.perform(isBackground: true) { _ in events.note("with a check \(priority)") }
                tool.write("first")
                queue.checkForForeignChanges(isUrgent: true)
            }
            queue.perform { _ in
                queue.perform(isBackground: true) { _ in events.note("with work \(priority)") }
                queue.perform { _ in events.note("work \(priority)") }
            }
            #expect(
                events.all == [
                    "foreign nil", "began", "with a check idle", "with work ordinary", "work ordinary",
                ]
            )
        }
    }

    @Test func `a check finds what another program wrote once, and how many transactions that was`() throws {
        try withQueue { queue, events, tool in
            queue.checkForForeignChanges(isUrgent: false)
            #expect(events.all.isEmpty, "nobody wrote")
            tool.write("first")
            #expect(queue.mayBeForeign)
            queue.checkForForeignChanges(isUrgent: false)
            tool.write("second")
            tool.write("third")
            queue.checkForForeignChanges(isUrgent: false)
            queue.checkForForeignChanges(isUrgent: true)
            #expect(events.all == ["foreign 1", "foreign 2"])
            #expect(!queue.mayBeForeign)
        }
    }

    @Test func `while somebody leads only an urgent check waits for the leader`() throws {
        try withQueue { queue, events, tool in
            queue.checkForForeignChanges(isUrgent: false)
            queue.perform { _ in
                tool.write("first")
                queue.checkForForeignChanges(isUrgent: false)
                #expect(events.all.isEmpty, "it is the leader that looks, once this work is done")
            }
            #expect(events.all == ["foreign 1"])
        }
    }

    @Test func `what another program wrote is handled before a save that comes later`() throws {
        try withQueue { queue, events, tool in
            queue.checkForForeignChanges(isUrgent: false)
            tool.write("first")
            queue.submit(NoteStore.save(["mine"]) { events.note($0.number == nil ? "refused" : "saved") })
            tool.write("second")
            queue.submit(
                NoteStore.save(["mine, too"]) { events.note($0.number == nil ? "refused" : "saved") })
            #expect(events.all == ["foreign 1", "saved", "foreign 1", "saved"])
        }
    }

    @Test func `a check that fails says why, and the next one says what listeners know already`() throws {
        try withQueue { queue, events, tool in
            queue.checkForForeignChanges(isUrgent: false)
            events.failsNext = true
            tool.write("first")
            let begin = Monotonic.now
            queue.checkForForeignChanges(isUrgent: false)
            #expect(events.all == ["foreign 1", "failed"])
            queue.checkForForeignChanges(isUrgent: false)
            // A reader tries again after a second.
            if Monotonic.now - begin < 1_000_000_000 {
                #expect(events.all.count == 2, "readers do not try again at once")
            }
            queue.checkForForeignChanges(isUrgent: true)
            #expect(events.all == ["foreign 1", "failed", "foreign 1 known"])
            #expect(!queue.mayBeForeign)
        }
    }

    @Test func `a save is refused while it cannot be found out what another program wrote`() throws {
        try withQueue { queue, events, tool in
            queue.checkForForeignChanges(isUrgent: false)
            tool.write("first")
            events.failsNext = true
            queue.submit(NoteStore.save(["mine"]) { events.note($0.number == nil ? "refused" : "saved") })
            queue.submit(NoteStore.save(["again"]) { events.note($0.number == nil ? "refused" : "saved") })
            #expect(events.all == ["foreign 1", "failed", "refused", "foreign 1 known", "saved"])
        }
    }
}

/// At which priority the calling thread reads and writes.
private var priority: String { IOPriority.isIdle ? "idle" : "ordinary" }

/// What a queue calls, in order.
private final class QueueEvents: Sendable {
    private let state = Mutex<(list: [String], failsNext: Bool)>(([], false))

    var all: [String] { state.withLock { $0.list } }

    /// Whether the next handling of foreign changes fails.
    var failsNext: Bool {
        get { state.withLock { $0.failsNext } }
        set { state.withLock { $0.failsNext = newValue } }
    }

    func note(_ event: String) { state.withLock { $0.list.append(event) } }

    func handle(_ commitCount: UInt32?, isKnown: Bool) throws(StoreError) {
        note("foreign \(commitCount.map { "\($0)" } ?? "nil")" + (isKnown ? " known" : ""))
        let fails = state.withLock { state in
            defer { state.failsNext = false }
            return state.failsNext
        }
        if fails { throw .busy(path: "") }
    }
}

/// Another program, which writes into the table of notes.
private final class NoteTool: Sendable {
    private let path: String

    init(path: String) { self.path = path }

    /// Commits a transaction.
    func write(_ title: String) {
        do throws(SQLiteError) {
            try SQLiteConnection(path: path, mode: .readWrite).execute(
                "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE) "
                    + "SELECT coalesce(max(Z_PK), 1000) + 1, 1, 1, '\(title)' FROM ZNOTE")
        } catch {
            Issue.record("\(error)")
        }
    }
}

extension NoteStore {
    /// A save of notes by a client of its own.
    fileprivate static func save(
        _ titles: [String], completion: @escaping @Sendable (SaveResult) -> Void
    ) -> SaveSubmission {
        var builder = ColumnBuilder(property: 0, type: .string)
        for title in titles { builder.append(text: title) }
        let request = SaveRequestMessage(
            store: 1, request: RequestIDMessage(client: UUID(), sequence: 1, acknowledged: 0),
            inserts: [
                InsertGroup(entity: 0, temporaryIDs: titles.map { _ in UUID() }, columns: [builder.finish()])
            ])
        return SaveSubmission(request: request, origin: origin) { completion($1) }
    }
}

/// Lends a queue of its own before a new store, what it calls, and another program.
private func withQueue(_ body: (CommitQueue, QueueEvents, NoteTool) throws -> Void) throws {
    try withTemporaryFolder { path in
        let file = try StoreFile.open(
            in: try Folder(at: path), fileName: "Notes.sqlite", model: StoreModel(try NoteStore.model()))
        let events = QueueEvents()
        let queue = CommitQueue(
            writer: try file.makeWriter(), maintenanceFailed: { _ in events.note("failed") },
            foreignChanged: { _, commitCount, isKnown throws(StoreError) in
                try events.handle(commitCount, isKnown: isKnown)
            },
            didCommit: { batch in
                for member in batch.members { member.save.complete(member.result) }
            },
            didIdle: { events.note($0 == .began ? "began" : "lifted") })
        try body(queue, events, NoteTool(path: file.path))
    }
}
