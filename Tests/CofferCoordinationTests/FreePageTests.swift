import CofferCoordination
import CofferStores
import CofferWire
import Synchronization
import TestSupport
import Testing

@Suite struct FreePageTests {
    /// Saves so many notes of two pages each; their keys begin at 1 in a new store.
    private func fill(_ notes: NoteStore, _ count: Int) throws {
        let title = String(repeating: "x", count: 6_000)
        _ = try notes.store.save(
            notes.request(Array(repeating: title, count: count)), by: NoteStore.origin)
    }

    private func delete(_ keys: ClosedRange<Int64>, from notes: NoteStore) throws {
        var request = notes.request([])
        request.inserts = []
        request.deletes = [
            DeleteGroup(entity: 0, primaryKeys: Array(keys), versions: keys.map { _ in 1 })
        ]
        _ = try notes.store.save(request, by: NoteStore.origin)
    }

    @Test func `pages of deleted objects are given back bit by bit`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path, pragmas: ["wal_autocheckpoint": "10"])
            try fill(notes, 2_000)
            let full = try notes.store.pageCounts()
            #expect(full.all > 3_000 && full.free < 100)
            try delete(1...1_900, from: notes)
            for _ in 0..<20 { try fill(notes, 20) }
            let now = try notes.store.pageCounts()
            #expect(now.free < 1_200 && now.all < full.all / 2)
            #expect(try notes.store.integrityCheck().isEmpty)
            #expect(notes.store.statistics.foreignChanges.load(ordering: .relaxed) == 0)
        }
    }

    @Test func `pages of deleted objects are given back when a store is closed`() throws {
        try withTemporaryFolder { path in
            let before = try {
                let notes = try NoteStore(at: path)
                try fill(notes, 8_000)
                try delete(1...7_900, from: notes)
                defer { #expect(throws: Never.self) { try notes.store.close() } }
                return try notes.store.pageCounts()
            }()
            #expect(before.free > 7_000)
            let after = try NoteStore(at: path).store.pageCounts()
            #expect(after.free < 1_200 && after.all < before.all / 2)
        }
    }

    @Test func `a file of which little is free keeps its pages`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path, pragmas: ["wal_autocheckpoint": "10"])
            try fill(notes, 2_000)
            try delete(1...400, from: notes)
            let before = try notes.store.pageCounts()
            #expect(before.free > 500)
            try fill(notes, 1)
            #expect(try notes.store.pageCounts().all >= before.all)
        }
    }
}
