import CofferLinux
import CofferStores
import Synchronization

/// States of one store that clients have pinned: for each a reader whose transaction stays open.
///
/// Shared. SQLite's log cannot begin anew while such a reader is there, and grows with each commit. So there are few of them, one gives
/// way to another once it is a minute old, and all end when the log has grown too long.
final class Generations: Sendable {
    /// Carries a reader in and out of a pin.
    fileprivate struct Lease: @unchecked Sendable {
        // Whoever took the lease out of its pin, under the lock, is the only one to have it.
        let reader: StoreReaders
    }

    fileprivate struct Pin: Sendable {
        let since: UInt64
        /// `nil` while somebody reads.
        var lease: Lease?
    }

    fileprivate struct State: Sendable {
        var pins: [UInt64: Pin] = [:]
        /// Begins with the clock, so that another service gives out other numbers.
        var next = Monotonic.now
    }

    private let state = ConditionLock(State())
    private let count = Atomic<Int>(0)
    private let file: StoreFile

    init(file: StoreFile) {
        self.file = file
    }

    /// Pins the present state; what it is called, and the last transaction in it.
    ///
    /// - Throws: `StoreError.tooManyGenerations`, and why no reader can be opened.
    func pin() throws(StoreError) -> (generation: UInt64, number: UInt64) {
        let lease = Lease(reader: try StoreReaders(file: file))
        let number = try lease.reader.objects.pin()
        let generation: UInt64? = state.withLock { state in
            guard state.makeRoom() else { return nil }
            defer { state.next += 1 }
            state.pins[state.next] = Pin(since: Monotonic.now, lease: lease)
            count.store(state.pins.count, ordering: .relaxed)
            return state.next
        }
        guard let generation else { throw .tooManyGenerations(limit: Limits.generations) }
        return (generation, number)
    }

    /// Gives a pinned state up, once nobody reads it.
    func end(_ generation: UInt64) { end { $0 == generation } }

    /// Gives all pinned states up.
    func endAll() { end { _ in true } }

    /// Gives all pinned states up where the log has grown too long for them.
    func didCommit() {
        guard count.load(ordering: .relaxed) > 0 else { return }
        // A file whose size cannot be told is no reason to keep it growing.
        let byteCount = (try? file.byteCounts().wal) ?? .max
        if byteCount > file.pinnedLogByteCount { endAll() }
    }

    private func end(where isMeant: (UInt64) -> Bool) {
        // Their connections are closed outside the lock.
        let ended = state.withLock { state in
            let ended = state.pins.filter { isMeant($0.key) }
            for generation in ended.keys { state.pins[generation] = nil }
            count.store(state.pins.count, ordering: .relaxed)
            return ended
        }
        if !ended.isEmpty { state.broadcast() }
    }

    /// Calls `body` with the reader of a pinned state, which nobody else has.
    ///
    /// - Throws: `StoreError.generationExpired` where it was given up.
    func withReader<Result>(
        _ generation: UInt64, _ body: (StoreReaders) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let taken: Lease?? = state.wait { state in
            guard let pin = state.pins[generation] else { return .some(nil) }
            guard let lease = pin.lease else { return nil }
            state.pins[generation]?.lease = nil
            return lease
        }
        guard let lease = taken.flatMap({ $0 }) else { throw .generationExpired }
        defer {
            state.withLock { state in
                if state.pins[generation] != nil { state.pins[generation]?.lease = lease }
            }
            state.broadcast()
        }
        return try lease.reader.timed(body)
    }
}

extension Generations.State {
    /// Lets the oldest pin go where there are too many and it has had its time; `false` where it has not.
    fileprivate mutating func makeRoom() -> Bool {
        guard pins.count >= Limits.generations else { return true }
        guard let oldest = pins.min(by: { $0.value.since < $1.value.since }),
            Monotonic.now - oldest.value.since >= Limits.generationTime.wholeNanoseconds
        else { return false }
        pins[oldest.key] = nil
        return true
    }
}
