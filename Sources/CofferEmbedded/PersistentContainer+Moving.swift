public import Coffer
public import CofferModel

extension PersistentContainer {
    /// Takes an embedded store to another file or type, and goes on with it there: what Core Data's
    /// coordinator does under the same name.
    ///
    /// Contexts are told first (`storesWillChange`), so that their handlers can save. Then the objects are
    /// copied, while reads go on and saves wait; after that all contexts of this process that have the store
    /// go on with the new one. Their objects live on as faults under new ids, which
    /// `ContextNotification.didChangeIDs` tells, and `storesDidChange` follows. What was not saved, and a
    /// save that waited, goes into the new store; child contexts lose theirs, and are told.
    ///
    /// The old file stays as it was, for `destroy` or as a copy of before; but in its own folder and with its
    /// own name, which a `path` of `nil` means too, there can be one store only: then the old file goes. A
    /// crash leaves the old store, or the whole new one, as the one that the name opens. The container's
    /// `storeDescriptions` stay what they were: code that opens the store later has to look for it in its new
    /// place.
    ///
    /// It blocks its thread; call it from one that no context of an actor waits for. The store of a service
    /// is moved by `ServiceConnection.migratePersistentStore(named:to:)`.
    /// ```swift
    /// try container.migratePersistentStore(named: "Notes", to: "/media/disk/Notes.binary", type: .binary)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The store's name.
    ///   - path: The new file, of which there is nothing yet; `nil` to stay in the folder with the name.
    ///   - type: How the new store keeps its objects; not `.memory`.
    ///   - pragmas: SQLite options of the new store, as in a `StoreDescription`.
    ///   - wait: How long contexts of other threads are waited for that have something to save.
    ///   - progress: Told now and then of objects copied and in all; `false` stops it, and the error's reason
    ///     is `interrupted` then. It must not save into the store, which would wait for itself.
    /// - Returns: What was made, and how ids became others.
    /// - Throws: `.unknown` if the container has no embedded store of that name; `.refused` as
    ///   `ServiceConnection.copyStore` does, if the old file would have to go but may only be read or lacks
    ///   values, and if the store is to become what it is already. Then everything is as it was.
    @discardableResult
    public func migratePersistentStore(
        named name: String, to path: String? = nil, type: StoreType, pragmas: [String: String] = [:],
        wait: Duration = .seconds(10),
        progress: @escaping @Sendable (_ copied: UInt64, _ total: UInt64) -> Bool = { _, _ in true }
    ) throws(CofferError) -> ServiceConnection.StoreCopy {
        guard let coordinator = coordinator as? EmbeddedCoordinator else {
            throw .unknown(kind: "embedded store", name: name)
        }
        return try coordinator.move(
            storeNamed: name,
            EmbeddedMove(path: path, type: type, pragmas: pragmas, wait: wait, progress: progress))
    }
}
