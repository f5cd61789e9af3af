import CofferCoordination
import CofferLinux
import CofferWire
import Synchronization
import TestSupport
import Testing

/// At which priority each save of a batch was committed, seen by the leader.
private final class Witness: Sendable {
    private let seen = ConditionLock<[String: Bool]>([:])

    func note(_ name: String) {
        let isIdle = IOPriority.isIdle
        seen.withLock { $0[name] = isIdle }
        seen.broadcast()
    }

    /// Whether each of so many saves was committed idly, once all were.
    func all(_ count: Int) -> [String: Bool] { seen.wait { $0.count == count ? $0 : nil } }
}

@Suite struct BackgroundSaveTests {
    @Test func `saves in the background are written at idle priority, others at their own`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let witness = Witness()
            notes.submit("import 1", isBackground: true, witness)
            notes.submit("save", isBackground: false, witness)
            notes.submit("import 2", isBackground: true, witness)
            #expect(witness.all(3) == ["import 1": true, "save": false, "import 2": true])
            #expect(!IOPriority.isIdle, "the thread that led is as it was")
            #expect(notes.counters == Counters(saves: 3, backgroundSaves: 2, idleWork: 2, idleLifts: 0))
            #expect(try notes.titles() == ["import 1", "import 2", "save"])
        }
    }

    @Test func `nobody waits for a batch that idles, since a save among others is written at once`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let witness = Witness()
            notes.whileLed {
                notes.submit("import 1", isBackground: true, witness)
                notes.submit("save", isBackground: false, witness)
                notes.submit("import 2", isBackground: true, witness)
            }
            #expect(witness.all(3) == ["import 1": false, "save": false, "import 2": false])
            #expect(notes.counters == Counters(saves: 3, backgroundSaves: 2, idleWork: 0, idleLifts: 0))
        }
    }

    @Test func `a save behind a full batch of imports makes that batch hurry`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let witness = Witness()
            let imports = 100  // More than one batch takes.
            notes.whileLed {
                for number in 0..<imports { notes.submit("import \(number)", isBackground: true, witness) }
                notes.submit("save", isBackground: false, witness)
            }
            let idle = witness.all(imports + 1).filter(\.value).keys
            #expect(idle.isEmpty, "\(idle.sorted()) were written idly while a save waited")
            #expect(notes.counters.backgroundSaves == imports)
        }
    }

    @Test func `a save that comes while imports are written lifts their priority`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let witness = Witness()
            let request = notes.request(["import 1"])
            notes.submit(request, isBackground: true) { _ in
                witness.note("before")
                notes.submit("import 2", isBackground: true, witness)
                witness.note("after import 2 came")
                notes.submit("save 1", isBackground: false, witness)
                witness.note("after save 1 came")
                notes.submit("save 2", isBackground: false, witness)
            }
            #expect(
                witness.all(6) == [
                    "before": true, "after import 2 came": true, "after save 1 came": false,
                    "import 2": false, "save 1": false, "save 2": false,
                ])
            #expect(notes.counters == Counters(saves: 4, backgroundSaves: 2, idleWork: 1, idleLifts: 1))
            notes.submit("import 3", isBackground: true, witness)
            #expect(witness.all(7)["import 3"] == true, "what comes later idles again")
            #expect(!IOPriority.isIdle)
        }
    }

    @Test func `a background save that fails is not counted, and leaves its thread as it was`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            var request = notes.request(["import"])
            request.inserts[0].entity = 7
            let failures = Mutex(0)
            notes.submit(request, isBackground: true) { result in
                if case .failure = result { failures.withLock { $0 += 1 } }
            }
            #expect(failures.withLock { $0 } == 1)
            #expect(!IOPriority.isIdle)
            #expect(notes.counters == Counters(saves: 0, backgroundSaves: 0, idleWork: 1, idleLifts: 0))
        }
    }
}

private struct Counters: Equatable {
    var saves = 0
    var backgroundSaves = 0
    var idleWork = 0
    var idleLifts = 0
}

extension NoteStore {
    fileprivate var counters: Counters {
        let statistics = store.statistics
        return Counters(
            saves: statistics.saves.load(ordering: .relaxed),
            backgroundSaves: statistics.backgroundSaves.load(ordering: .relaxed),
            idleWork: statistics.idleWork.load(ordering: .relaxed),
            idleLifts: statistics.idleLifts.load(ordering: .relaxed))
    }

    fileprivate func submit(
        _ request: SaveRequestMessage, isBackground: Bool,
        completion: @escaping @Sendable (SaveResult) -> Void
    ) {
        var request = request
        request.isBackground = isBackground
        store.submit(SaveSubmission(request: request, origin: Self.origin) { completion($1) })
    }

    fileprivate func submit(_ title: String, isBackground: Bool, _ witness: Witness) {
        submit(request([title]), isBackground: isBackground) { _ in witness.note(title) }
    }

    /// Lets what `body` submits wait for each other, and share a batch.
    fileprivate func whileLed(_ body: @escaping @Sendable () -> Void) {
        store.perform({ _ in body() }, orElse: { _ in })
    }
}
