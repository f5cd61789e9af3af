import CofferCoordination
import CofferLinux
import CofferSQLite
import CofferStores
import CofferWire
import Synchronization
import TestSupport
import Testing

@Suite struct `Copies of a store in use` {
    private static let notesPerSave = 10

    /// How many notes and transactions a copy has, read with SQLite alone.
    private func contents(of name: String, in folder: Folder) throws -> (notes: Int64, number: Int64) {
        let connection = try SQLiteConnection(path: "\(folder.path)/\(name)", mode: .readOnly)
        let statement = try connection.prepare(
            "SELECT (SELECT count(*) FROM ZNOTE), (SELECT max(Z_PK) FROM ATRANSACTION)")
        #expect(try statement.step())
        return (statement.int64(0), statement.int64(1))
    }

    @Test
    func `a copy that is made while others write is of one moment`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let target = try Folder(at: path).makeFolders("copies")
            for _ in 0..<20 { _ = notes.group([notes.request(titles("first"))]) }
            let isOver = Atomic<Bool>(false)
            let writers = try (0..<2).map { writer in
                try WorkerThread(name: "writer") {
                    while !isOver.load(ordering: .relaxed) {
                        _ = try? notes.store.save(notes.request(titles("of \(writer)")), by: NoteStore.origin)
                    }
                }
            }
            defer {
                isOver.store(true, ordering: .relaxed)
                for writer in writers { writer.join() }
            }
            var writtenMeanwhile = 0
            for round in 0..<10 {
                let before = notes.store.number
                let outcome = try notes.store.backUp(into: target, as: "\(round).sqlite") { _, _ in
                    // A client commits between any two pieces.
                    (try? notes.store.save(notes.request(titles("between")), by: NoteStore.origin)) != nil
                }
                if notes.store.number > before { writtenMeanwhile += 1 }
                let (count, number) = try contents(of: "\(round).sqlite", in: target)
                #expect(count == number * Int64(Self.notesPerSave), "round \(round): \(count) of \(number)")
                #expect(number == Int64(outcome.number) && outcome.number >= before)
            }
            #expect(writtenMeanwhile == 10)
            #expect(notes.store.statistics.idleWork.load(ordering: .relaxed) == 10)
            let names = try target.names()
            #expect(names.count == 10, "nothing is beside them: \(names)")
        }
    }

    @Test func `the end of a store stops its copies and checks, which leave nothing`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let target = try Folder(at: path).makeFolders("copies")
            for _ in 0..<20 { _ = notes.group([notes.request(titles("first"))]) }
            #expect(try notes.store.integrityCheck() == [])
            #expect(throws: StoreError.interrupted) {
                try notes.store.backUp(into: target, as: "copy.sqlite") { _, _ in
                    notes.store.endLongWork()
                    return true
                }
            }
            notes.store.waitForLongWork()
            #expect(try target.names() == [])
            #expect(throws: StoreError.interrupted) { try notes.store.integrityCheck() }
            #expect(throws: StoreError.interrupted) {
                try notes.store.backUp(into: target, as: "copy.sqlite")
            }
            #expect(notes.group([notes.request(["last"])]).first?.number == 21)
        }
    }

    private func titles(_ text: String) -> [String] { (0..<Self.notesPerSave).map { "\(text) \($0)" } }

    @Test func `a copy idles, and one is made at a time`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            _ = notes.group([notes.request(titles("first"))])
            var states: [Bool] = []
            var second: StoreError?
            _ = try notes.store.backUp(into: Folder(at: path), as: "Copy.sqlite") { _, _ in
                states.append(IOPriority.isIdle)
                do throws(StoreError) {
                    _ = try notes.store.backUp(into: notes.store.file.folder, as: "Second.sqlite")
                } catch {
                    second = error
                }
                return true
            }
            #expect(states == [true, true])
            #expect(second == .copyUnderWay(path: notes.store.file.path))
            #expect(!IOPriority.isIdle)
            #expect(notes.store.statistics.idleLifts.load(ordering: .relaxed) == 0)
        }
    }

    @Test func `a copy hurries once the log grows too long`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path, pragmas: ["wal_autocheckpoint": "1"])
            _ = notes.group([notes.request(titles("first"))])
            try notes.store.write { writer throws(StoreError) in try writer.checkpointFully() }
            var states: [Bool] = []
            _ = try notes.store.backUp(into: Folder(at: path), as: "Copy.sqlite") { _, _ in
                states.append(IOPriority.isIdle)
                // The log cannot start over while the copy is made.
                for _ in 0..<20 {
                    _ = try? notes.store.save(notes.request(titles("more")), by: NoteStore.origin)
                }
                return true
            }
            #expect(states == [true, false])
            #expect(notes.store.statistics.idleLifts.load(ordering: .relaxed) == 1)
            #expect(!IOPriority.isIdle)
        }
    }

    @Test func `a copy that nobody wants any more ends, and leaves nothing`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let target = try Folder(at: path).makeFolders("copies")
            _ = notes.group([notes.request(titles("first"))])
            #expect(throws: StoreError.interrupted) {
                try notes.store.backUp(into: target, as: "Copy.sqlite") { _, _ in false }
            }
            #expect(try target.names() == [])
            #expect(try notes.store.backUp(into: target, as: "Copy.sqlite").number == 1)
        }
    }
}
