import CofferCoordination
import CofferSQLite
import CofferStores
import CofferWire
import Synchronization
import TestSupport
import Testing

@Suite struct VacuumTests {
    /// A store of notes, most of which were deleted; those of `kept` stay.
    private func withSparseStore(
        pragmas: [String: String] = [:], _ body: (NoteStore, _ titles: [String]) throws -> Void
    ) throws {
        try withTemporaryFolder { path in
            // A small cache, so that pages leave it all the time.
            let notes = try NoteStore(at: path, pragmas: pragmas.merging(["cache_size": "10"]) { $1 })
            let titles = (0..<600).map { String(repeating: "x", count: 6_000) + "\($0)" }
            _ = try notes.store.save(notes.request(titles), by: NoteStore.origin)
            var request = notes.request([])
            request.inserts = []
            let gone = (1...600).filter { $0 % 3 != 0 }.map(Int64.init)
            request.deletes = [
                DeleteGroup(entity: 0, primaryKeys: gone, versions: gone.map { _ in 1 })
            ]
            _ = try notes.store.save(request, by: NoteStore.origin)
            let kept = titles.enumerated().filter { ($0.offset + 1) % 3 == 0 }.map(\.element).sorted()
            try body(notes, kept)
        }
    }

    private static let modes: [[String: String]] = [[:], ["journal_mode": "DELETE"]]

    @Test(arguments: modes)
    func `a file becomes as small as what it holds, and tells how far that is`(pragmas: [String: String])
        throws
    {
        try withSparseStore(pragmas: pragmas) { notes, titles in
            let told = Mutex<[(Int, Int)]>([])
            let (former, now) = try notes.store.vacuum { done, total in
                told.withLock { $0.append((done, total)) }
                return true
            }
            #expect(now < former / 2 && former > 600 * 6_000)
            let parts = told.withLock { $0 }
            #expect(parts.count > 100 && parts.first?.0 == 0)
            #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.0 <= $1.0 && $0.1 == $1.1 })
            #expect(parts.last.map { $0.0 == $0.1 } == true)
            // Both halves are told of as they go.
            #expect(parts.contains { $0.0 > $0.1 / 5 && $0.0 < $0.1 / 2 })
            #expect(parts.contains { $0.0 > $0.1 * 3 / 5 && $0.0 < $0.1 })
            #expect(try notes.store.pageCounts().free == 0)
            #expect(try notes.titles() == titles)
            #expect(try notes.store.integrityCheck().isEmpty)
            #expect(notes.store.statistics.foreignChanges.load(ordering: .relaxed) == 0)
        }
    }

    /// Breaks every tenth write, each in turn, until a vacuum comes through.
    private func breakEveryTenthWrite(_ effect: SQLiteFault.Effect, _ pragmas: [String: String]) throws {
        try withSparseStore(pragmas: pragmas) { notes, titles in
            var failures = 0
            while true {
                notes.vfs.inject(
                    SQLiteFault(effect, at: .write, on: .all, skipping: failures * 10, repeats: true))
                let fired = notes.vfs.faultCount
                let outcome = Result { try notes.store.vacuum() }
                notes.vfs.clearFault()
                #expect(try notes.titles() == titles)
                #expect(try notes.store.integrityCheck().isEmpty)
                _ = try notes.store.save(notes.request([]), by: NoteStore.origin)
                if notes.vfs.faultCount == fired { break }
                if case .success = outcome {
                    // Only moving the log into the file may fail without anybody being told.
                    Issue.record("write \(failures * 10) broke, and nobody was told")
                }
                failures += 1
            }
            #expect(failures > 20)
            #expect(try notes.store.pageCounts().free == 0)
        }
    }

    @Test(arguments: modes)
    func `a disk that is full at any tenth write leaves the store whole`(pragmas: [String: String]) throws {
        try breakEveryTenthWrite(.full, pragmas)
    }

    @Test(arguments: modes)
    func `a disk that fails at any tenth write leaves the store whole`(pragmas: [String: String]) throws {
        try breakEveryTenthWrite(.shortWrite, pragmas)
    }

    @Test(arguments: modes)
    func `whoever stops it, at any step, finds the store as it was`(pragmas: [String: String]) throws {
        try withSparseStore(pragmas: pragmas) { notes, titles in
            var stopped = 0
            while true {
                let steps = Atomic(0)
                let limit = stopped * 25
                let outcome = Result {
                    try notes.store.vacuum { _, _ in
                        steps.add(1, ordering: .relaxed).newValue <= limit
                    }
                }
                #expect(try notes.titles() == titles)
                #expect(try notes.store.integrityCheck().isEmpty)
                guard case .failure(let error) = outcome else { break }
                let reason = (error as? StoreError)?.reason
                #expect(reason == "interrupted")
                // What a vacuum leaves has none; some are given back without one.
                let free = try notes.store.pageCounts().free
                #expect(free > 0)
                stopped += 1
            }
            #expect(stopped > 5)
            #expect(try notes.store.pageCounts().free == 0)
        }
    }

    @Test func `readers go on meanwhile, and read what is there`() throws {
        try withSparseStore { notes, titles in
            let reads = Mutex<[Bool]>([])
            try notes.store.vacuum { done, total in
                let isDue = reads.withLock { $0.count < 5 && done * 6 > total * ($0.count + 1) }
                if isDue {
                    let isSame = (try? notes.titles()) == titles
                    reads.withLock { $0.append(isSame) }
                }
                return true
            }
            #expect(reads.withLock { $0 } == [true, true, true, true, true])
            #expect(try notes.titles() == titles)
        }
    }
}
