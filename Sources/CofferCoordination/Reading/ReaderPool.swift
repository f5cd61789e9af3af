import CofferStores
import Synchronization

/// Lends readers of one store, each to one thread at a time.
///
/// Shared. As many readers exist as were ever used at once, up to `Limits.readers`; past it, callers open one
/// of their own and drop it.
final class ReaderPool: Sendable {
    /// Carries a reader in and out of the pool.
    // Guarded by the lock of `idle`: the one that took the lease out under it is the only one to have it.
    private struct Lease: @unchecked Sendable {
        let reader: StoreReaders
    }

    private let idle = Mutex<[Lease]>([])
    private let file: StoreFile

    init(file: StoreFile) {
        self.file = file
    }

    /// Calls `body` with a reader that no other thread has.
    func withReader<Result>(_ body: (StoreReaders) throws(StoreError) -> Result) throws(StoreError) -> Result
    {
        let lease: Lease
        if let taken = idle.withLock({ $0.popLast() }) {
            lease = taken
        } else {
            lease = Lease(reader: try StoreReaders(file: file))
        }
        defer {
            idle.withLock { idle in
                if idle.count < Limits.readers { idle.append(lease) }
            }
        }
        lease.reader.objects.followSQLDebug()
        return try lease.reader.timed(body)
    }

    /// Closes the readers that are not used.
    func closeIdle() {
        // They close once the lock is given back.
        let closing = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
        withExtendedLifetime(closing) {}
    }
}
