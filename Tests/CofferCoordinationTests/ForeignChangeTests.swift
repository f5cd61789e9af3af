import CofferCoordination
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import Synchronization
import TestSupport
import Testing

/// Another program that has the file open, and knows nothing of versions or history.
private final class OtherTool {
    let connection: SQLiteConnection

    init(on items: ItemStore) throws {
        connection = try SQLiteConnection(path: items.store.file.path, mode: .readWrite)
    }

    /// What changes a row as Core Data does: with its version and the history.
    static func update(of key: Int64, in table: String) -> String {
        """
        BEGIN; UPDATE \(table) SET ZTITLE = 'theirs', Z_OPT = Z_OPT + 1 WHERE Z_PK = \(key);
        INSERT INTO ATRANSACTION(Z_PK, Z_ENT, ZTIMESTAMP) SELECT max(Z_PK) + 1, 16002, 1 FROM ATRANSACTION;
        INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
        SELECT max(Z_PK) + 1, 16001, 1, 1, \(key), (SELECT max(Z_PK) FROM ATRANSACTION) FROM ACHANGE;
        UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ATRANSACTION) WHERE Z_ENT = 16002;
        UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ACHANGE) WHERE Z_ENT = 16001; COMMIT
        """
    }

    func setTitle(_ title: String, of key: Int64) throws {
        try connection.execute("UPDATE ZITEM SET ZTITLE = '\(title)' WHERE Z_PK = \(key)")
    }
}

@Suite struct ForeignChangeTests {
    @Test(arguments: ["WAL", "DELETE"])
    func `what another program writes is read, not the cache`(journalMode: String) throws {
        try withItems(10, pragmas: ["journal_mode": journalMode]) { items, keys in
            let recorder = Recorder()
            _ = items.store.addListener(recorder)
            let holder = items.store.cache.makeHolder()
            try items.fetch(0, 0, for: holder)
            #expect(try items.fire(keys, for: holder).isCached)
            let tool = try OtherTool(on: items)
            try tool.setTitle("theirs", of: keys[3])
            let (rows, isCached) = try items.fire(keys, for: holder)
            #expect(!isCached)
            #expect(rows[keys[3]]?.values["title"] == .string("theirs"))
            #expect(items.store.statistics.foreignChanges.load(ordering: .relaxed) == 1)
            // A client that read the row before has an old version now, and history says what changed.
            #expect(rows[keys[3]]?.version == 2)
            #expect(recorder.reloads.withLock { $0 } == [2])
            #expect(items.store.number == 2)
            let history = try items.store.history(
                HistoryRequestMessage(store: 1, storeUUID: items.store.uuid, after: 1))
            guard case .transactions(let transactions, 2, false) = history else {
                Issue.record("\(history)")
                return
            }
            #expect(transactions.map { $0.changes.map(\.primaryKeys) } == [[[keys[3]]]])
            #expect(try items.fire(keys, for: holder).isCached)
        }
    }

    @Test func `a save of what was read before another program wrote is a conflict`() throws {
        try withItems(3) { items, keys in
            let holder = items.store.cache.makeHolder()
            try items.fetch(0, 0, for: holder)
            try OtherTool(on: items).setTitle("theirs", of: keys[1])
            let reply = try items.save(title: "mine", of: keys[1], version: 1)
            guard case .conflicts(let conflicts) = reply else {
                Issue.record("\(reply)")
                return
            }
            #expect(conflicts.map(\.primaryKey) == [keys[1]])
            #expect(conflicts.map(\.storedVersion) == [2])
            #expect(try items.stored([keys[1]])[keys[1]]?.values["title"] == .string("theirs"))
            guard case .saved = try items.save(title: "mine", of: keys[0], version: 1) else {
                Issue.record("a row that nobody changed can be saved")
                return
            }
        }
    }

    @Test func `what another program writes before a commit begins anew is known to its saves`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            #expect(notes.group([notes.request(["one", "two", "three"])]).first?.number == 1)
            let recorder = Recorder()
            _ = notes.store.addListener(recorder)
            let holder = notes.store.cache.makeHolder()
            let ticket = notes.store.beginReading()
            let reply = try notes.store.fetch(
                FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Note")))
            holder.hold(try #require(reply.rows), readAt: reply.number, ticket)
            try notes.store.write { [path = notes.store.file.path] writer throws(StoreError) in
                writer.writeForeign("UPDATE ZNOTE SET ZTITLE = 'theirs' WHERE Z_PK = 3", into: path)
            }
            let results = notes.group([
                notes.request(["four"]), notes.update([3], ["mine"]), notes.refused(changing: 1, deleting: 2),
            ])
            try notes.store.write { writer throws(StoreError) in
                writer.connection.setProgressHandler(everyInstructions: 0, nil)
            }
            #expect(results.map(\.number) == [3, nil, nil])
            #expect(results[1].conflicts?.map(\.storedVersion) == [2])
            #expect(results[2].conflicts?.map(\.primaryKey) == [2])
            #expect(recorder.reloads.withLock { $0 } == [2])
            #expect(recorder.numbers.withLock { $0 } == [3])
            #expect(try notes.titles() == ["four", "one", "theirs", "two"])
            #expect(try notes.store.write { writer throws(StoreError) in try writer.integrityCheck() } == [])
        }
    }

    @Test func `what could not be looked into while another program had the lock is known to the next save`()
        throws
    {
        try withItems(3) { items, keys in
            let recorder = Recorder()
            _ = items.store.addListener(recorder)
            let holder = items.store.cache.makeHolder()
            try items.fetch(0, 0, for: holder)
            let tool = try OtherTool(on: items)
            try tool.setTitle("theirs", of: keys[1])
            try tool.connection.execute("BEGIN IMMEDIATE")
            // Told once, however many read meanwhile.
            for _ in 0..<3 { items.store.checkForForeignChanges() }
            #expect(items.store.statistics.foreignChanges.load(ordering: .relaxed) == 1)
            #expect(recorder.reloads.withLock { $0 } == [1])
            try tool.connection.execute("ROLLBACK")
            guard case .conflicts(let conflicts) = try items.save(title: "mine", of: keys[1], version: 1)
            else {
                Issue.record("it was saved over what the other program wrote")
                return
            }
            #expect(conflicts.map(\.storedVersion) == [2])
            #expect(recorder.reloads.withLock { $0 } == [1, 2])
        }
    }

    @Test func `a reader looks again once another program's lock is gone`() throws {
        try withItems(3) { items, keys in
            let recorder = Recorder()
            _ = items.store.addListener(recorder)
            try items.fetch(0, 0, for: items.store.cache.makeHolder())
            let tool = try OtherTool(on: items)
            try tool.setTitle("theirs", of: keys[1])
            try tool.connection.execute("BEGIN IMMEDIATE")
            items.store.checkForForeignChanges()
            #expect(recorder.reloads.withLock { $0 } == [1])
            try tool.connection.execute("ROLLBACK")
            try waitUntil("a look without the lock") {
                items.store.checkForForeignChanges()
                return recorder.reloads.withLock { $0 } == [1, 2]
            }
        }
    }

    @Test func `a look that fails at once does not keep the next one from telling`() throws {
        try withItems(3) { items, keys in
            let recorder = Recorder()
            _ = items.store.addListener(recorder)
            try items.fetch(0, 0, for: items.store.cache.makeHolder())
            // The leader is this thread.
            nonisolated(unsafe) let tool = try OtherTool(on: items)
            try items.store.write { writer throws(StoreError) in
                writer.interruptOnce()
                try? unsafe tool.setTitle("theirs", of: keys[1])
                try? unsafe tool.connection.execute("BEGIN IMMEDIATE")
            }
            #expect(recorder.reloads.withLock { $0 } == [])
            items.store.checkForForeignChanges(isUrgent: true)
            #expect(recorder.reloads.withLock { $0 } == [1])
        }
    }

    @Test func `a row without a sound version does not hide what else another program changed`() throws {
        try withItems(3) { items, keys in
            let holder = items.store.cache.makeHolder()
            try items.fetch(0, 0, for: holder)
            let tool = try OtherTool(on: items)
            try tool.connection.execute("UPDATE ZITEM SET Z_OPT = -1 WHERE Z_PK = \(keys[0])")
            try tool.setTitle("theirs", of: keys[1])
            guard case .conflicts = try items.save(title: "mine", of: keys[1], version: 1) else {
                Issue.record("it was saved over what the other program wrote")
                return
            }
        }
    }

    @Test func `rows that are read while another program's changes are taken over do not stay as they were`()
        throws
    {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            #expect(notes.group([notes.request(["one", "two", "three"])]).first?.number == 1)
            let kept = Mutex<[RowHolder]>([])
            let read: @Sendable () throws -> Void = {
                let holder = notes.store.cache.makeHolder()
                let ticket = notes.store.beginReading()
                let reply = try notes.store.fetch(
                    FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Note")))
                if let rows = reply.rows { holder.hold(rows, readAt: reply.number, ticket) }
                kept.withLock { $0.append(holder) }
            }
            try read()
            let tool = try SQLiteConnection(path: notes.store.file.path, mode: .readWrite)
            try tool.execute("UPDATE ZNOTE SET ZTITLE = 'theirs' WHERE Z_PK = 3")
            let isDone = Atomic(false)
            try notes.store.write { writer throws(StoreError) in
                writer.connection.setProgressHandler(everyInstructions: 10) {
                    if !isDone.exchange(true, ordering: .relaxed) { try? read() }
                    return false
                }
            }
            notes.store.checkForForeignChanges()
            let wasRead = isDone.load(ordering: .relaxed)
            #expect(wasRead)
            let (reply, _, _) = try notes.store.cachedRows(
                RowsRequestMessage(store: 1, entity: 0, primaryKeys: [3]))
            #expect(reply.batches.map(\.versions) == [[2]])
            try notes.store.write { writer throws(StoreError) in
                writer.connection.setProgressHandler(everyInstructions: 0, nil)
            }
        }
    }

    @Test func `another program's transactions are told from its history`() throws {
        try withItems(3) { items, keys in
            let recorder = Recorder()
            _ = items.store.addListener(recorder)
            let tool = try OtherTool(on: items)
            try tool.connection.execute(OtherTool.update(of: 2, in: "ZITEM"))
            items.store.checkForForeignChanges()
            #expect(recorder.numbers.withLock { $0 } == [2])
            #expect(recorder.reloads.withLock { $0 } == [])
            guard case .saved(let saved) = try items.save(title: "mine", of: keys[0], version: 1) else {
                Issue.record("the save found no way")
                return
            }
            #expect(saved.number == 3)
            #expect(recorder.numbers.withLock { $0 } == [2, 3])
        }
    }

    @Test func `what another program writes without history is told though it writes some with it`() throws {
        try withItems(3) { items, keys in
            let recorder = Recorder()
            _ = items.store.addListener(recorder)
            let tool = try OtherTool(on: items)
            try tool.setTitle("untold", of: keys[0])
            try tool.connection.execute(OtherTool.update(of: 2, in: "ZITEM"))
            items.store.checkForForeignChanges()
            #expect(recorder.numbers.withLock { $0 } == [])
            #expect(recorder.reloads.withLock { $0 } == [2])
        }
    }

    @Test func `saves that cannot be committed together are told once, and in order with what comes between`()
        throws
    {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            #expect(notes.group([notes.request(["one", "two"])]).first?.number == 1)
            let recorder = Recorder()
            _ = notes.store.addListener(recorder)
            notes.vfs.inject(SQLiteFault(.ioError, at: .write, on: .wal))
            try notes.store.write { [path = notes.store.file.path] writer throws(StoreError) in
                writer.writeForeign(OtherTool.update(of: 1, in: "ZNOTE"), into: path, afterTransactions: 2)
            }
            let results = notes.group([notes.request(["three"]), notes.request(["four"])])
            notes.vfs.clearFault()
            try notes.store.write { writer throws(StoreError) in
                writer.connection.setProgressHandler(everyInstructions: 0, nil)
            }
            #expect(results.map(\.number) == [2, 4])
            #expect(recorder.numbers.withLock { $0 } == [2, 3, 4])
            #expect(recorder.reloads.withLock { $0 } == [])
        }
    }

    @Test func `our own work is never taken for another program's`() throws {
        try withItems(100) { items, keys in
            let holder = items.store.cache.makeHolder()
            for round in 1...60 {
                _ = try items.save(title: "round \(round)", of: keys[0], version: UInt32(round))
                _ = try items.fire([keys[0]], for: holder)
                if round % 20 == 0 { try items.store.vacuum() }
                if round % 15 == 0 {
                    try items.store.write { writer throws(StoreError) in try writer.checkpointFully() }
                }
                if round % 7 == 0 {
                    _ = try items.store.write { writer throws(StoreError) in
                        try writer.metadata(changing: ["round": MetadataValueMessage(text: "\(round)")])
                    }
                }
            }
            #expect(items.store.statistics.foreignChanges.load(ordering: .relaxed) == 0)
            #expect(items.store.cache.hitCount >= 40)
            #expect(try items.store.integrityCheck() == [])
            #expect(items.store.statistics.idleWork.load(ordering: .relaxed) == 4)
        }
    }
}

extension ItemStore {
    /// Saves one title.
    func save(title: String, of key: Int64, version: UInt32) throws -> SaveReplyMessage {
        let property = try #require(store.model.entities[0].propertyIndex(named: "title"))
        var builder = ColumnBuilder(property: property, type: .string)
        builder.append(text: title)
        let update = UpdateGroup(
            entity: 0, primaryKeys: [key], versions: [version], columns: [builder.finish()])
        return try store.save(request(updates: [update]), by: Self.origin).reply
    }
}

extension StoreWriter {
    /// Ends the next statement early.
    fileprivate func interruptOnce() {
        var isOver = false
        connection.setProgressHandler(everyInstructions: 1) {
            defer { isOver = true }
            return !isOver
        }
    }

    /// Lets another connection write as soon as the next transactions were taken back or committed.
    fileprivate func writeForeign(_ sql: String, into path: String, afterTransactions count: Int = 1) {
        var left = count
        var isWithin = false
        connection.setProgressHandler(everyInstructions: 1) { [weak connection] in
            let isAutocommit = connection?.isAutocommit ?? true
            if isWithin, isAutocommit { left -= 1 }
            isWithin = !isAutocommit
            if left == 0, isAutocommit,
                (try? SQLiteConnection(path: path, mode: .readWrite).execute(sql)) != nil
            {
                left = -1
            }
            return false
        }
    }
}
