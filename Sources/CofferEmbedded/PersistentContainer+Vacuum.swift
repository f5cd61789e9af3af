public import Coffer
import CofferCoordination
import CofferStores

extension PersistentContainer {
    /// Makes the file of an embedded store as small as it can be, while contexts go on reading; their saves
    /// wait.
    ///
    /// What `ServiceConnection.vacuumStore` does for a store of the service. It blocks its thread; call it
    /// from one that no context of an actor waits for.
    ///
    /// `progress` is told now and then, on another thread perhaps, of bytes written and about how many there
    /// will be, and stops it with `false`: then the error's reason is `interrupted`, and the store as it was.
    /// - Returns: The sizes before and now.
    /// - Throws: `.unknown` if the container has no embedded store of that name, `.refused` if it may not be
    ///   written or the disk is full.
    public func vacuumEmbeddedStore(
        named name: String,
        progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Bool = { _, _ in true }
    ) throws(CofferError) -> ServiceConnection.Vacuumed {
        guard let coordinator = coordinator as? EmbeddedCoordinator else {
            throw .unknown(kind: "embedded store", name: name)
        }
        return try coordinator.vacuum(storeNamed: name, progress)
    }
}

extension EmbeddedCoordinator {
    /// Makes the file of a store that is open as small as it can be.
    package func vacuum(
        storeNamed name: String, _ progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Bool
    ) throws(CofferError) -> ServiceConnection.Vacuumed {
        guard let description = stores.first(where: { $0.name == name }) else {
            throw .unknown(kind: "embedded store", name: name)
        }
        let (former, now) = try translating { () throws(StoreError) in
            try store(description.handle).vacuum { progress(UInt64($0), UInt64($1)) }
        }
        return ServiceConnection.Vacuumed(formerByteCount: UInt64(former), byteCount: UInt64(now))
    }
}
