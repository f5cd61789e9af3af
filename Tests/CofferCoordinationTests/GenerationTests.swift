import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import TestSupport
import Testing

struct GenerationTests {
    /// What the store has in a pinned state; `nil` if that was given up.
    private func count(_ notes: NoteStore, in generation: UInt64) throws -> UInt64? {
        do throws(StoreError) {
            var fetch = FetchDescription(entityName: "Note")
            fetch.resultType = .count
            return try notes.store.fetch(FetchRequestMessage(store: 1, fetch: fetch, generation: generation))
                .count
        } catch .generationExpired {
            return nil
        }
    }

    /// Saves until a pinned state is given up; returns how much longer the log has become.
    ///
    /// The log cannot start over before that.
    private func writeUntilGone(_ generation: UInt64, into notes: NoteStore) throws -> Int {
        let before = try notes.store.file.byteCounts().wal
        var after = before
        for _ in 0..<1_000 where try count(notes, in: generation) != nil {
            after = try notes.store.file.byteCounts().wal
            try save(into: notes)
        }
        return after - before
    }

    private func save(into notes: NoteStore) throws {
        _ = try notes.store.save(
            notes.request([String(repeating: "x", count: 8_000)]), by: NoteStore.origin)
    }

    @Test func `a pinned state is kept until so much was written since it was pinned`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path, pragmas: ["wal_autocheckpoint": "10"])
            let limit = notes.store.file.pinnedLogByteCount
            let first = try notes.store.pin().generation
            for _ in 0..<16 { try save(into: notes) }
            let second = try notes.store.pin().generation
            let pinned = try #require(try count(notes, in: second))
            #expect(try writeUntilGone(first, into: notes) < limit)
            // What was pinned a moment ago stays when the one before it goes.
            #expect(try count(notes, in: second) == pinned)
            let third = try notes.store.pin().generation
            #expect(try writeUntilGone(second, into: notes) < limit)
            let written = try writeUntilGone(third, into: notes)
            #expect(written > limit / 2 && written <= limit)
            #expect(try count(notes, in: third) == nil)
        }
    }

    @Test func `a log that many pinned states have made long ends them all`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path, pragmas: ["wal_autocheckpoint": "10"])
            let limit = notes.store.file.pinnedLogByteCount
            var last = try notes.store.pin().generation
            for _ in 0..<40 {
                for _ in 0..<10 {
                    try save(into: notes)
                }
                let next = try notes.store.pin().generation
                notes.store.unpin(last)
                last = next
                #expect(try notes.store.file.byteCounts().wal < 5 * limit)
            }
        }
    }

    @Test func `a usual store keeps a state for 128 MB`() throws {
        try withTemporaryFolder { path in
            #expect(try NoteStore(at: path).store.file.pinnedLogByteCount == 32 * 1_000 * 4_096)
            let other = try withTemporaryFolder { folder in
                try NoteStore(at: folder, pragmas: ["wal_autocheckpoint": "100000"]).store.file
                    .pinnedLogByteCount
            }
            #expect(other == 32 * 1_000 * 4_096)
        }
    }
}
