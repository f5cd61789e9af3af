import CofferLinux
import FoundationEssentials
import Synchronization

/// What a root context and all contexts below it share: the names of objects that are not saved, and what
/// became of them.
///
/// Shared. An object that is not saved has one key in the whole tree, and its temporary id follows from the
/// key alone. When the root gives objects permanent keys, contexts below follow when they come to it; until
/// all have, the tree knows both names. A permanent key that was reserved is given up for another if a save
/// makes the object one with a stored one.
final class ContextTree: Sendable {
    fileprivate struct State {
        /// What objects are called now by what they were called before.
        var names: [ObjectReference: ObjectReference] = [:]
        /// The objects that each step renamed, from `firstStep` on.
        var steps: [[ObjectReference]] = []
        var firstStep = 0
        /// The step up to which each context below the root needs no old names any more.
        var seen: [ObjectIdentifier: Int] = [:]
        /// The state of the stores that the root has pinned.
        var pinned: PinnedStores?
    }

    private let lastKey = Atomic<Int64>(0)
    /// Whether a permanent name was ever given up: else only temporary ones have to be looked for.
    private let hasGivenUp = Atomic<Bool>(false)
    /// The first ten bytes of all temporary ids.
    private let prefix: [UInt8]
    private let state = Mutex(State())

    init() {
        var bytes = Randomness.bytes(10)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        prefix = bytes
    }

    /// A key for an object that is not saved, below 0.
    func nextKey() -> Int64 { -lastKey.wrappingAdd(1, ordering: .relaxed).newValue }

    /// The id of the object with a key below 0: 74 random bits of the tree, then the key; of the form of
    /// version 4 of RFC 9562.
    func id(of key: Int64) -> UUID {
        let p = prefix
        let n = UInt64(bitPattern: -key)
        return UUID(
            uuid: (
                p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9],
                UInt8(truncatingIfNeeded: n >> 40),
                UInt8(truncatingIfNeeded: n >> 32), UInt8(truncatingIfNeeded: n >> 24),
                UInt8(truncatingIfNeeded: n >> 16), UInt8(truncatingIfNeeded: n >> 8),
                UInt8(truncatingIfNeeded: n)
            ))
    }

    /// The key that an id was made of; `nil` if it is not of this tree.
    func key(of id: UUID) -> Int64? {
        let u = id.uuid
        let start = [u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9]
        guard start == prefix else { return nil }
        return -[u.10, u.11, u.12, u.13, u.14, u.15].reduce(0) { $0 << 8 | Int64($1) }
    }
}

extension ContextTree {
    /// The state of the stores that the root reads, and all contexts below it; `nil` for the present one.
    var pinned: PinnedStores? {
        get { state.withLock { $0.pinned } }
        set {
            // What was pinned before may be given up with it, outside the lock.
            let old = state.withLock { state in
                defer { state.pinned = newValue }
                return state.pinned
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Lets a context below the root take part; it has to follow all names from now on.
    func join(_ member: ObjectIdentifier) -> Int {
        state.withLock { state in
            let step = state.firstStep + state.steps.count
            state.seen[member] = step
            return step
        }
    }

    /// A context has gone.
    func leave(_ member: ObjectIdentifier) {
        state.withLock { state in
            state.seen[member] = nil
            state.prune()
        }
    }

    /// Tells of the permanent names that objects got.
    func rename(_ names: [ObjectReference: ObjectReference]) {
        guard !names.isEmpty else { return }
        let givesUp = names.keys.contains { !$0.isUnsaved }
        if givesUp { hasGivenUp.store(true, ordering: .relaxed) }
        state.withLock { state in
            guard !state.seen.isEmpty else { return }
            if givesUp { state.names = state.names.mapValues { names[$0] ?? $0 } }
            for (old, new) in names { state.names[old] = new }
            state.steps.append(Array(names.keys))
        }
    }

    /// The name that an object has by now.
    func resolve(_ reference: ObjectReference) -> ObjectReference {
        guard reference.isUnsaved || hasGivenUp.load(ordering: .relaxed) else { return reference }
        return state.withLock { $0.names[reference] } ?? reference
    }

    /// The names given after `step`, and the step up to which they go.
    ///
    /// The member says by it that it needs none from before `step`: no answer is on its way to it that has
    /// them.
    func names(
        after step: Int, for member: ObjectIdentifier
    ) -> ([ObjectReference: ObjectReference], Int) {
        state.withLock { state in
            let last = state.firstStep + state.steps.count
            guard last > step else { return ([:], last) }
            var names: [ObjectReference: ObjectReference] = [:]
            for old in state.steps[max(0, step - state.firstStep)...].joined() {
                names[old] = state.names[old]
            }
            state.seen[member] = step
            state.prune()
            return (names, last)
        }
    }
}

extension ContextTree.State {
    /// Forgets names that all follow.
    fileprivate mutating func prune() {
        let needed = seen.values.min() ?? firstStep + steps.count
        while firstStep < needed, !steps.isEmpty {
            for old in steps.removeFirst() { names[old] = nil }
            firstStep += 1
        }
    }
}
