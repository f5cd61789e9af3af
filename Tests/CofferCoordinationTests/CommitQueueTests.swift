import CofferCoordination
import CofferLinux
import CofferStores
import CofferWire
import Synchronization
import TestSupport
import Testing

@Suite struct CommitQueueTests {
    /// What came of saves, by whatever they are called.
    private final class Answers: Sendable {
        private let all = ConditionLock<[(name: String, number: UInt64?, thread: String)]>([])

        /// Notes one; called by the leader.
        func note(_ name: String, _ number: UInt64?) {
            // Only a system without /proc has none.
            let bytes = try? Folder(at: "/proc/thread-self").read("comm", limit: 64)
            let thread = String(decoding: bytes ?? [], as: UTF8.self)
            all.withLock { $0.append((name, number, thread)) }
            all.broadcast()
        }

        /// The first so many, once they are there.
        func first(_ count: Int) -> [(name: String, number: UInt64?, thread: String)] {
            all.wait { $0.count >= count ? Array($0) : nil }
        }
    }

    private func save(
        _ name: String, _ notes: NoteStore, _ answers: Answers, shouldYield: () -> Bool = { false }
    ) {
        let submission = SaveSubmission(request: notes.request([name]), origin: NoteStore.origin) {
            answers.note(name, $1.number)
        }
        notes.store.submit(submission, shouldYield: shouldYield)
    }

    @Test(arguments: Seed.several(3))
    func `saves of many threads are each answered once, with numbers in the order of the answers`(
        seed: Seed
    ) throws {
        try withTemporaryFolder { path in
            let (threads, saves) = (6, 40)
            let notes = try NoteStore(at: path)
            let answers = Answers()
            let workers = try (0..<threads).map { thread in
                try WorkerThread(name: "saver") { [self] in
                    var dice = SeededGenerator(seed: seed.value &+ UInt64(thread))
                    for number in 0..<saves {
                        // Some are needed elsewhere, and hand on what waits.
                        let shouldYield = Bool.random(using: &dice)
                        save("\(thread)-\(number)", notes, answers) { shouldYield }
                    }
                }
            }
            for worker in workers { worker.join() }
            let all = answers.first(threads * saves)
            #expect(Set(all.map(\.name)).count == threads * saves && all.count == threads * saves)
            #expect(all.map(\.number) == (1...UInt64(threads * saves)).map(Optional.some))
            for thread in 0..<threads {
                let own = all.map(\.name).filter { $0.hasPrefix("\(thread)-") }
                #expect(
                    own == (0..<saves).map { "\(thread)-\($0)" }, "a thread's saves overtake none of its own")
            }
            try waitUntil("nobody leads") { !notes.store.isCommitting }
            #expect(try notes.titles() == all.map(\.name).sorted())
            #expect(try notes.store.write { writer throws(StoreError) in try writer.integrityCheck() } == [])
        }
    }

    @Test func `a leader that is needed elsewhere lets another thread carry out what waits`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let answers = Answers()
            let submission = SaveSubmission(request: notes.request(["mine"]), origin: NoteStore.origin) {
                answers.note("mine", $1.number)
                save("waits", notes, answers)
            }
            notes.store.submit(submission, shouldYield: { true })
            let all = answers.first(2)
            #expect(all.map(\.name) == ["mine", "waits"])
            #expect(all.map { $0.thread == "leader\n" } == [false, true])
        }
    }

    @Test func `a leader that nobody needs carries out what waits itself`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let answers = Answers()
            let submission = SaveSubmission(request: notes.request(["mine"]), origin: NoteStore.origin) {
                answers.note("mine", $1.number)
                save("waits", notes, answers)
            }
            notes.store.submit(submission)
            let all = answers.first(2)
            #expect(Set(all.map(\.thread)).count == 1)
            #expect(!notes.store.isCommitting, "it leads no more once nothing waits")
        }
    }

    @Test func `work for the writer keeps its place between saves`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let answers = Answers()
            notes.store.perform(
                { _ in
                    save("before", notes, answers)
                    notes.store.perform({ _ in answers.note("work", nil) }, orElse: { _ in })
                    save("after", notes, answers)
                }, orElse: { _ in })
            let all = answers.first(3)
            #expect(all.map(\.name) == ["before", "work", "after"])
            #expect(all.map(\.number) == [1, nil, 2])
            #expect(notes.store.statistics.commits.load(ordering: .relaxed) == 2)
        }
    }

    @Test func `more saves than a batch takes are committed in several, in their order`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let results = notes.group((0..<130).map { notes.request(["note \($0)"]) })
            #expect(results.map(\.number) == (1...130).map(Optional.some))
            #expect((2...3).contains(notes.store.statistics.commits.load(ordering: .relaxed)))
        }
    }

    @Test func `threads that wait for their work on the writer each get their own result`() throws {
        try withTemporaryFolder { path in
            let notes = try NoteStore(at: path)
            let results = Mutex<[Int: Int]>([:])
            let inside = Atomic(0)
            let workers = try (0..<8).map { number in
                try WorkerThread(name: "writer") {
                    for round in 0..<20 {
                        let result = Result { () throws(StoreError) in
                            try notes.store.write { _ throws(StoreError) in
                                let others = inside.add(1, ordering: .relaxed).oldValue
                                inside.subtract(1, ordering: .relaxed)
                                return others == 0 ? number * 100 + round : -1
                            }
                        }
                        results.withLock { $0[number * 100 + round] = try? result.get() }
                    }
                }
            }
            for worker in workers { worker.join() }
            let all = results.withLock { $0 }
            #expect(all.count == 160 && all.allSatisfy { $0.key == $0.value })
        }
    }
}
