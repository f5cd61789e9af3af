import CofferCoordination
import CofferSQLite
import CofferStores
import CofferWire
import Synchronization
import TestSupport
import Testing

/// What ends a transaction in the midst of one member.
enum Injury: CaseIterable {
    case interrupt, full, ioError, outOfMemory

    func happens(to error: StoreError) -> Bool {
        switch (self, error) {
        case (.interrupt, .interrupted), (.full, .full), (.ioError, .io), (.outOfMemory, .outOfMemory): true
        default: false
        }
    }
}

/// Has a save when it is waited for, once.
private final class LingeringSource: SaveSource {
    let events = Mutex<[String]>([])
    private let submit: @Sendable () -> Void

    init(_ submit: @escaping @Sendable () -> Void) { self.submit = submit }

    func poll() {}

    func spinForNext(while isIdle: () -> Bool) -> Bool {
        let isFirst = events.withLock { events in
            defer { events.append("linger") }
            return !events.contains("linger")
        }
        guard isFirst, isIdle() else { return false }
        submit()
        return !isIdle()
    }

    func stopPolling() { events.withLock { $0.append("release") } }
}

@Suite struct GroupCommitTests {
    private static let members = 4

    @Test(arguments: Injury.allCases, 0..<members)
    func `a member that ends the transaction fails alone`(injury: Injury, victim: Int) throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path, pragmas: ["cache_size": "60"])
            // The victim is the one that writes more than the cache holds, and so meets what is injected.
            let large = (0..<3_000).map { "victim \($0), with a title of some length" }
            let requests = (0..<Self.members).map {
                $0 == victim ? notes.request(large) : notes.request(["note \($0)"])
            }
            try inject(injury, into: notes)
            let results = notes.group(requests)
            try heal(notes)
            var numbers: [UInt64] = []
            for (member, result) in results.enumerated() {
                if member == victim {
                    guard case .failure(let error) = result else {
                        Issue.record("the victim was saved")
                        continue
                    }
                    #expect(injury.happens(to: error), "\(error)")
                } else {
                    numbers.append(try #require(result.number, "member \(member): \(result)"))
                }
            }
            #expect(numbers == [1, 2, 3], "numbers have no gap, and none is burnt")
            #expect(try notes.titles() == (0..<Self.members).filter { $0 != victim }.map { "note \($0)" })
            let again = notes.group([requests[victim]])
            #expect(again.first?.number == 4, "the victim can be saved when the cause is gone")
            #expect(try notes.store.write { writer throws(StoreError) in try writer.integrityCheck() } == [])
        }
    }

    /// Keeps saving: each save hands in the next when it is carried out.
    private final class Saver: Sendable {
        let notes: NoteStore
        let count = Atomic(0)
        let isOver = Atomic(false)

        init(_ notes: NoteStore) { self.notes = notes }

        func save() {
            let request = notes.request(["again"])
            notes.store.submit(
                SaveSubmission(request: request, origin: NoteStore.origin) { [self] _, _ in
                    let count = count.add(1, ordering: .relaxed).newValue
                    if count < 5_000, !isOver.load(ordering: .relaxed) { save() }
                })
        }
    }

    @Test func `a submitter that waits for its own work does not lead for as long as others save`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let saver = Saver(notes)
            try notes.store.write { _ throws(StoreError) in saver.save() }
            let count = saver.count.load(ordering: .relaxed)
            saver.isOver.store(true, ordering: .relaxed)
            #expect(count < 5_000)
            // Nor does a submitter that has handed in a save, and is needed elsewhere after a while.
            try waitUntil("nobody leads") { !notes.store.isCommitting }
            let other = Saver(notes)
            let looks = Atomic(0)
            notes.store.submit(
                SaveSubmission(request: notes.request(["mine"]), origin: NoteStore.origin) { _, _ in
                    other.save()
                },
                shouldYield: { looks.add(1, ordering: .relaxed).newValue > 10 })
            let led = other.count.load(ordering: .relaxed)
            other.isOver.store(true, ordering: .relaxed)
            #expect((9..<5_000).contains(led))
            let last = notes.group([notes.request(["last"])])
            #expect(last.first?.number != nil)
        }
    }

    @Test func `saves that wait together share one commit`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            notes.vfs.startCounting()
            let results = notes.group((0..<20).map { notes.request(["note \($0)"]) })
            #expect(results.compactMap(\.number) == Array(1...20))
            #expect(notes.vfs.count(.sync, on: .wal) <= 2, "one flush for all, and one of a new log's header")
            #expect(notes.store.statistics.commits.load(ordering: .relaxed) == 1)
        }
    }

    @Test
    func `a submitter that is to lead hears of it first, and one that hands in to another leader does not`()
        throws
    {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let events = Mutex<[String]>([])
            let note = { @Sendable (event: String) in events.withLock { $0.append(event) } }
            let submission = SaveSubmission(request: notes.request(["x"]), origin: NoteStore.origin) { _, _ in
                note("saved")
            }
            notes.store.perform(
                { _ in
                    notes.store.submit(submission) { note("leads") }
                    note("handed in")
                }, orElse: { note("\($0)") }, beforeLeading: { note("leads") })
            #expect(events.withLock { $0 } == ["leads", "handed in", "saved"])
        }
    }

    @Test func `the leader goes on where the next save comes while it lingers, and releases its source once`()
        throws
    {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let next = SaveSubmission(request: notes.request(["next"]), origin: NoteStore.origin) { _, _ in }
            let source = LingeringSource { [store = notes.store] in store.submit(next) }
            notes.store.pollSaves(from: source)
            #expect(notes.group([notes.request(["first"])]).map(\.number) == [1])
            #expect(try notes.titles() == ["first", "next"])
            #expect(notes.store.statistics.commits.load(ordering: .relaxed) == 2)
            #expect(!notes.store.isCommitting)
            // Before the maintenance that hands the first save in, and at the end.
            #expect(source.events.withLock { $0 } == ["release", "linger", "linger", "release"])
        }
    }

    @Test func `a save that comes while another is carried out goes along with it`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let results = try notes.saves(["first"], then: ["late"]) {}
            #expect(results.map(\.number) == [1, 2])
            #expect(notes.store.statistics.commits.load(ordering: .relaxed) == 1)
            #expect(try notes.titles() == ["first", "late"])
        }
    }

    @Test func `a save that is refused after it has written takes nobody's with it, now and later`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let keys = notes.group([notes.request(["one", "two"])])
            #expect(keys.first?.number == 1)
            for round in 0..<3 {
                let refused = notes.refused(changing: 1, deleting: 2)
                let results = notes.group([
                    notes.request(["a \(round)"]), refused, notes.request(["b \(round)"]), refused,
                ])
                let first = UInt64(2 + 2 * round)
                #expect(results.map(\.number) == [first, nil, first + 1, nil], "round \(round)")
                guard case .success(let execution) = results[1], case .conflicts = execution.reply else {
                    Issue.record("\(results[1])")
                    continue
                }
            }
            let added = (0..<3).flatMap { ["a \($0)", "b \($0)"] }
            #expect(try notes.titles() == (added + ["one", "two"]).sorted())
            #expect(try notes.store.write { writer throws(StoreError) in try writer.integrityCheck() } == [])
        }
    }

    @Test func `a late save that is refused after it has written takes nobody's along or anew`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            #expect(notes.group([notes.request(["one", "two"])]).first?.number == 1)
            let recorder = Recorder()
            _ = notes.store.addListener(recorder)
            let results = try notes.saves([
                notes.request(["first"]), notes.refused(changing: 1, deleting: 2), notes.request(["last"]),
            ])
            #expect(results.map(\.number) == [2, nil, 3])
            #expect(results[1].conflicts?.map(\.primaryKey) == [2])
            #expect(notes.store.statistics.commits.load(ordering: .relaxed) == 2, "one for all three")
            #expect(recorder.numbers.withLock { $0 } == [2, 3])
            #expect(try notes.titles() == ["first", "last", "one", "two"])
        }
    }

    @Test func `a trigger that fails lets its save fail alone, and leaves nothing of it`() throws {
        try withTemporaryFolder { path in
            do {
                let notes = try NoteStore(at: path)
                #expect(notes.group([notes.request(["one", "two"])]).first?.number == 1)
                try notes.store.close()
                // A sum of more than 64 bits, after which SQLite leaves what was changed before.
                try SQLiteConnection(path: notes.store.file.path, mode: .readWrite).execute(
                    """
                    CREATE TRIGGER failing AFTER UPDATE ON ZNOTE WHEN NEW.ZTITLE = 'bad' BEGIN
                    DELETE FROM ZNOTE WHERE Z_PK = (SELECT SUM(\(Int64.max)) FROM ZNOTE); END
                    """)
            }
            let notes = try NoteStore(at: path)
            let results = notes.group([
                notes.request(["a"]), notes.update([1, 2], ["bad", "behind"]), notes.request(["b"]),
            ])
            let numbers = results.map(\.number)
            #expect(numbers[1] == nil && numbers[0].map { $0 + 1 } == numbers[2], "\(results)")
            #expect(try notes.titles() == ["a", "b", "one", "two"])
        }
    }

    @Test func `a late save that ends the transaction fails alone, though the first began it alone`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path, pragmas: ["cache_size": "60"])
            let large = (0..<3_000).map { "victim \($0), with a title of some length" }
            let results = try notes.saves(["first"], then: large) {
                notes.vfs.inject(SQLiteFault(.ioError, at: .write, on: .wal))
            }
            notes.vfs.clearFault()
            #expect(results[0].number == 1)
            guard case .failure(let error) = results[1] else {
                Issue.record("the victim was saved")
                return
            }
            #expect(Injury.ioError.happens(to: error), "\(error)")
            #expect(try notes.titles() == ["first"])
            #expect(notes.group([notes.request(["after"])]).first?.number == 2)
        }
    }

    @Test func `a disk that stays full fails every save, and keeps what was saved`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            #expect(notes.group([notes.request(["before"])]).first?.number == 1)
            notes.vfs.inject(SQLiteFault(.full, at: .write, repeats: true))
            let results = notes.group((0..<3).map { notes.request(["note \($0)"]) })
            notes.vfs.clearFault()
            for result in results {
                guard case .failure(.full) = result else {
                    Issue.record("\(result)")
                    continue
                }
            }
            #expect(try notes.titles() == ["before"])
            #expect(notes.group([notes.request(["after"])]).first?.number == 2)
        }
    }

    @Test func `a request that is sent again is applied once`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            var request = notes.request(["once"])
            let first = notes.group([request])
            request.request.isRetry = true
            let second = notes.group([request, request])
            #expect(first.first?.number == 1)
            #expect(second.map(\.number) == [1, 1])
            #expect(try notes.titles() == ["once"])
        }
    }

    private func inject(_ injury: Injury, into notes: NoteStore) throws {
        switch injury {
        case .full: notes.vfs.inject(SQLiteFault(.full, at: .write, on: .wal))
        case .ioError: notes.vfs.inject(SQLiteFault(.ioError, at: .write, on: .wal))
        case .outOfMemory: notes.vfs.inject(SQLiteFault(.outOfMemory, at: .write, on: .wal))
        case .interrupt:
            // Counted by statement: only the victim's insert runs that long.
            try notes.store.write { writer throws(StoreError) in
                writer.connection.setProgressHandler(everyInstructions: 20_000) { true }
            }
        }
    }

    private func heal(_ notes: NoteStore) throws {
        notes.vfs.clearFault()
        try notes.store.write { writer throws(StoreError) in
            writer.connection.setProgressHandler(everyInstructions: 0, nil)
        }
    }
}
