package import CofferStores
package import Synchronization

/// What the service holds for one client, counted over all of its connections and channels.
///
/// Shared by its sessions. A channel is stopped if all together hold too much and it holds more than its
/// share of that. So there is always one that is stopped, it goes on when its own bytes are read, and all
/// together hold at most twice the limit.
package final class ClientBudget: Sendable {
    /// Calls that wait for their answers.
    package let calls = Atomic<Int>(0)
    /// Channels that are open.
    package let channels = Atomic<Int>(0)
    private let stores = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)
    private let memory = Atomic<Int>(0)
    private let frames = Atomic<Int>(0)
    private let descriptors = Atomic<Int>(0)
    private let spilled = Atomic<Int>(0)
    private let requested = Atomic<Int>(0)
    /// The models that it registered last.
    private let models = Mutex<[StoreModel]>([])
    private let all: AllSpilled

    /// The budget of one client among `all`.
    package init(of all: AllSpilled) { self.all = all }

    /// Bytes of all clients that wait on the disk.
    package final class AllSpilled: Sendable {
        fileprivate let byteCount = Atomic<Int>(0)

        /// None.
        package init() {}
    }

    /// Counts a store that a session has open.
    ///
    /// - Throws: `.tooManyStores`; then it is not counted.
    package func beganUsingStore() throws(ServiceError) {
        if stores.add(1, ordering: .relaxed).newValue <= Limits.storesPerClient { return }
        endedUsingStores(1)
        throw .tooManyStores(limit: Limits.storesPerClient)
    }

    /// Counts out stores that the sessions of the client no longer have open.
    package func endedUsingStores(_ count: Int) { stores.subtract(count, ordering: .relaxed) }

    /// Keeps a model that the client registered, for when it names that next.
    package func keep(_ model: StoreModel) {
        models.withLock { models in
            models.removeAll { $0.id == model.id }
            while models.count >= Limits.modelsOfClient
                || models.reduce(0, { $0 + $1.bytes.count }) > Limits.modelBytesOfClient
            {
                models.removeFirst()
            }
            models.append(model)
        }
    }

    /// A model that the client registered of late.
    package func model(_ id: [UInt8]) -> StoreModel? { models.withLock { $0.first { $0.id == id } } }

    /// Counts what waits to be read, or does not wait any more.
    package func count(_ change: OutboundSize) {
        bytes.add(change.bytes, ordering: .relaxed)
        memory.add(change.memory, ordering: .relaxed)
        frames.add(change.frames, ordering: .relaxed)
        descriptors.add(change.descriptors, ordering: .relaxed)
        if change.spilled != 0 {
            spilled.add(change.spilled, ordering: .relaxed)
            all.byteCount.add(change.spilled, ordering: .relaxed)
        }
    }

    /// Whether so many bytes more are too many to wait on the disk.
    package func refuses(spilled byteCount: Int) -> Bool {
        spilled.load(ordering: .relaxed) + byteCount > Limits.spilledBytes
            || all.byteCount.load(ordering: .relaxed) + byteCount > Limits.spilledByAll
    }

    /// Whether so many bytes more are too many to wait in memory beside frames.
    package func refuses(memory byteCount: Int) -> Bool {
        memory.load(ordering: .relaxed) + byteCount > Limits.outboundMemory
    }

    /// Counts a large request that came.
    ///
    /// - Throws: `.tooMuchRequested` if too much waits already; it is counted even then.
    package func count(requested byteCount: Int) throws(ServiceError) {
        let all = requested.add(byteCount, ordering: .relaxed).newValue
        if all > Limits.requestMemory { throw .tooMuchRequested(limit: Limits.requestMemory) }
    }

    /// A large request that was counted is answered.
    package func uncount(requested byteCount: Int) {
        requested.subtract(byteCount, ordering: .relaxed)
    }

    /// Whether a channel on which so much waits must wait for its client.
    package func isExceeded(by own: OutboundSize) -> Bool {
        isExceeded(all: bytes, own: own.bytes, limit: Limits.outboundBytes)
            || isExceeded(all: memory, own: own.memory, limit: Limits.outboundMemory)
            || isExceeded(all: frames, own: own.frames, limit: Limits.outboundFrames)
            || isExceeded(all: descriptors, own: own.descriptors, limit: Limits.outboundDescriptors)
    }

    /// Whether so many bytes of pushes more are too many for a channel on which `own` wait.
    package func refuses(push byteCount: Int, own: Int) -> Bool {
        own > 0 && own + byteCount > share(of: Limits.pushBytes)
            && bytes.load(ordering: .relaxed) + byteCount > Limits.pushBytes
    }

    private func isExceeded(all: borrowing Atomic<Int>, own: Int, limit: Int) -> Bool {
        own > share(of: limit) && all.load(ordering: .relaxed) > limit
    }

    private func share(of limit: Int) -> Int { limit / max(1, channels.load(ordering: .relaxed)) }
}

/// What waits for a client to read it.
package struct OutboundSize: Sendable, Equatable {
    /// Bytes of frames.
    package var bytes = 0
    /// Bytes of sealed memory beside them.
    package var memory = 0
    /// Frames.
    package var frames = 0
    /// Frames with descriptors, of which a process has few.
    package var descriptors = 0
    /// Bytes of frames on the disk.
    package var spilled = 0

    /// A size from its parts, each 0 by default.
    package init(bytes: Int = 0, memory: Int = 0, frames: Int = 0, descriptors: Int = 0, spilled: Int = 0) {
        self.bytes = bytes
        self.memory = memory
        self.frames = frames
        self.descriptors = descriptors
        self.spilled = spilled
    }

    /// Adds what came, or went.
    package static func += (size: inout OutboundSize, change: OutboundSize) {
        size.bytes += change.bytes
        size.memory += change.memory
        size.frames += change.frames
        size.descriptors += change.descriptors
        size.spilled += change.spilled
    }

    /// What takes that much away.
    package static prefix func - (size: OutboundSize) -> OutboundSize {
        OutboundSize(
            bytes: -size.bytes, memory: -size.memory, frames: -size.frames, descriptors: -size.descriptors,
            spilled: -size.spilled)
    }
}

/// The budgets of all clients, each for as long as it has a session.
package final class ClientBudgets: Sendable {
    private struct Entry {
        let budget: ClientBudget
        var users: Int
    }

    private let entries = Mutex<[ClientIdentity: Entry]>([:])
    private let spilled = ClientBudget.AllSpilled()

    /// The budgets of no client yet.
    package init() {}

    /// The budget of a client, for one more session.
    package func take(for client: ClientIdentity) -> ClientBudget {
        entries.withLock { entries in
            let budget = entries[client]?.budget ?? ClientBudget(of: spilled)
            entries[client, default: Entry(budget: budget, users: 0)].users += 1
            return budget
        }
    }

    /// A session of the client has ended.
    package func giveBack(for client: ClientIdentity) {
        entries.withLock { entries in
            entries[client]?.users -= 1
            if entries[client]?.users == 0 { entries[client] = nil }
        }
    }
}
