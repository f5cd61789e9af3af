import CofferLinux
import CofferStores
import Synchronization

/// States of one store that clients have pinned: for each a reader whose transaction stays open.
///
/// Shared. SQLite's log cannot begin again while such a reader is there, and grows with each commit. So
/// there are few of them, one gives way to another once it is a minute old, each ends when so much was
/// written since it was pinned, and all when the log has grown too long.
final class Generations: Sendable {
    /// Carries a reader in and out of a pin.
    // Guarded by the pins' lock: the one that took the lease out of its pin under it is the only one to have
    // it.
    fileprivate struct Lease: @unchecked Sendable {
        let reader: StoreReaders
    }

    fileprivate struct Pin: Sendable {
        let since: UInt64
        /// Bytes that were in the log.
        var logByteCount: Int
        /// `nil` while it is being read.
        var lease: Lease?
    }

    fileprivate struct State: Sendable {
        var pins: [UInt64: Pin] = [:]
        /// Begins with the clock, so that another service gives out other numbers.
        var next = Monotonic.now
        /// Bytes in the log after the last commit.
        var logByteCount = 0
    }

    private let state = ConditionLock(State())
    private let count = Atomic<Int>(0)
    private let file: StoreFile

    init(file: StoreFile) {
        self.file = file
    }

    /// Pins the present state; what it is called, and the last transaction in it.
    ///
    /// - Throws: `StoreError.tooManyGenerations`, `noGenerations` if saves would have to wait, and why no
    ///   reader can be opened.
    func pin() throws(StoreError) -> (generation: UInt64, number: UInt64) {
        guard file.journal == .wal else { throw .noGenerations(path: file.path) }
        let lease = Lease(reader: try StoreReaders(file: file))
        let number = try lease.reader.objects.pin()
        let generation: UInt64? = state.withLock { state in
            guard state.makeRoom() else { return nil }
            defer { state.next += 1 }
            state.pins[state.next] = Pin(
                since: Monotonic.now, logByteCount: state.logByteCount, lease: lease)
            count.store(state.pins.count, ordering: .relaxed)
            return state.next
        }
        guard let generation else { throw .tooManyGenerations(limit: Limits.generations) }
        return (generation, number)
    }

    /// Gives a pinned state up, once it is no longer read.
    func end(_ generation: UInt64) { end { number, _ in number == generation } }

    /// Gives all pinned states up.
    func endAll() { end { _, _ in true } }

    /// Gives up the states for which the log, which has so many bytes now, has grown too long.
    func didCommit(logByteCount: Int) {
        let limit = file.pinnedLogByteCount
        state.withLock { $0.note(logByteCount: logByteCount) }
        guard count.load(ordering: .relaxed) > 0 else { return }
        end { _, pin in
            logByteCount - pin.logByteCount > limit || logByteCount > limit * Limits.pinnedLogs
        }
    }

    private func end(where isMeant: (UInt64, Pin) -> Bool) {
        // Their connections are closed outside the lock.
        let ended = state.withLock { state in
            let ended = state.pins.filter { isMeant($0.key, $0.value) }
            for generation in ended.keys { state.pins[generation] = nil }
            count.store(state.pins.count, ordering: .relaxed)
            return ended
        }
        if !ended.isEmpty { state.broadcast() }
    }

    /// Calls `body` with the reader of a pinned state, which no other thread has.
    ///
    /// - Throws: `StoreError.generationExpired` if it was given up.
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
    /// Notes how long the log is; if it has begun again, all of it came since each state was pinned.
    fileprivate mutating func note(logByteCount: Int) {
        if logByteCount < self.logByteCount {
            for generation in pins.keys { pins[generation]?.logByteCount = 0 }
        }
        self.logByteCount = logByteCount
    }

    /// Gives up the oldest pin if there are too many and it has had its time; `false` if it has not.
    fileprivate mutating func makeRoom() -> Bool {
        guard pins.count >= Limits.generations else { return true }
        guard let oldest = pins.min(by: { $0.value.since < $1.value.since }),
            Monotonic.now - oldest.value.since >= Limits.generationTime.wholeNanoseconds
        else { return false }
        pins[oldest.key] = nil
        return true
    }
}
