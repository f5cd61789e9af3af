import CofferWire
import FoundationEssentials
import Synchronization

/// The stores whose objects clients make at present: which one a client means that opens a store by the id
/// of a migration.
///
/// Shared.
final class ObjectMigrations: Sendable {
    /// The two stores of a migration.
    struct Stores: Sendable {
        /// The session whose client makes the objects; no other gets at them.
        let session: UInt64
        /// The store as it was, which is only read.
        let former: ServedStore
        /// The store as it will be.
        let new: ServedStore
    }

    private let stores = Mutex<[UUID: Stores]>([:])

    /// Allows the stores of a migration to be opened.
    func begin(_ id: UUID, _ stores: Stores) { self.stores.withLock { $0[id] = stores } }

    /// Allows that no longer.
    func end(_ id: UUID) { stores.withLock { _ = $0.removeValue(forKey: id) } }

    /// The store of a migration that a session's client opens.
    ///
    /// - Throws: `.wire` if the session's client has no such migration, or not any more.
    func store(
        of id: UUID, isFormer: Bool, for session: UInt64
    ) throws(ServiceError) -> ServedStore {
        guard let found = stores.withLock({ $0[id] }), found.session == session else {
            throw .wire(.malformed("coffer.v1.OpenStoreRequest.migration: it is over, or another's"))
        }
        return isFormer ? found.former : found.new
    }
}
