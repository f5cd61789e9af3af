import CofferCoordination
import CofferLinux
import CofferStores
import CofferWire
import Synchronization
import TestSupport
import Testing

/// Remembers the numbers it was told, and what had been answered by then.
final class Recorder: StoreListener {
    let numbers = Mutex<[UInt64]>([])
    let reloads = Mutex<[UInt64]>([])
    let batches = Atomic<Int>(0)

    func didCommit(_ transaction: TransactionMessage, of save: SaveSubmission) {
        numbers.withLock { $0.append(transaction.number) }
    }

    func didFind(_ transaction: TransactionMessage) { numbers.withLock { $0.append(transaction.number) } }

    func didReload(at number: UInt64) { reloads.withLock { $0.append(number) } }

    func didEndBatch() { batches.add(1, ordering: .relaxed) }
}

@Suite struct FeedTests {
    @Test func `listeners hear every transaction once, in order, from many threads`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let recorder = Recorder()
            let (id, number) = notes.store.addListener(recorder)
            #expect(number == 0)
            let threads = try (0..<4).map { thread in
                try WorkerThread(name: "saver-\(thread)") {
                    for round in 0..<50 {
                        _ = try? notes.store.save(notes.request(["\(thread)-\(round)"]), by: NoteStore.origin)
                    }
                }
            }
            for thread in threads { thread.join() }
            #expect(recorder.numbers.withLock { $0 } == Array(1...200))
            #expect(notes.store.number == 200)
            notes.store.removeListener(id)
            _ = try notes.store.save(notes.request(["unheard"]), by: NoteStore.origin)
            #expect(recorder.numbers.withLock { $0.count } == 200)
            #expect(try notes.titles().count == 201)
        }
    }

    @Test func `a save that meets a conflict is not told`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            _ = try notes.store.save(notes.request(["a"]), by: NoteStore.origin)
            let recorder = Recorder()
            _ = notes.store.addListener(recorder)
            var request = notes.request([])
            request.inserts = []
            request.deletes = [DeleteGroup(entity: 0, primaryKeys: [1], versions: [7])]
            let execution = try notes.store.save(request, by: NoteStore.origin)
            guard case .conflicts(let conflicts) = execution.reply else {
                Issue.record("\(execution.reply)")
                return
            }
            #expect(conflicts.map(\.storedVersion) == [1])
            #expect(recorder.numbers.withLock { $0 } == [])
        }
    }
}
