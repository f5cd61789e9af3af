public import Coffer
import CofferCoordination
import CofferLinux
import CofferStores
import CofferWire

extension PersistentContainer {
    /// Copies an embedded store, as it is at one moment, into a file at `path`, while contexts go on reading
    /// and writing.
    ///
    /// What `ServiceConnection.backUpStore` does for a store of the service: the copy is read through before
    /// it gets its name, after a crash there is what was there before or the whole copy, and values that are
    /// in files beside the store are copied into a folder beside the copy, or with `isOneFile` into the copy
    /// itself. It blocks its thread; call it from one that no context of an actor waits for.
    ///
    /// A file that is there gives way with `replaces` only. `progress` is told now and then of bytes copied
    /// and in all, and stops the copy with `false`: then the error's reason is `interrupted`.
    /// - Returns: What was copied.
    /// - Throws: `.unknown` if the container has no embedded store of that name, `.refused` if a file is
    ///   there (`AlreadyExists`), there is no such folder (`NotFound`), what is there is a store in use, the
    ///   disk is full, or the store is damaged; then nothing is left.
    public func backUpEmbeddedStore(
        named name: String, toFileAt path: String, replacing replaces: Bool = false,
        asOneFile isOneFile: Bool = false,
        progress: (_ copied: UInt64, _ total: UInt64) -> Bool = { _, _ in true }
    ) throws(CofferError) -> ServiceConnection.Backup {
        guard let coordinator = coordinator as? EmbeddedCoordinator else {
            throw .unknown(kind: "embedded store", name: name)
        }
        return try coordinator.backUp(
            storeNamed: name, toFileAt: path, replacing: replaces, asOneFile: isOneFile, progress)
    }

    /// The paths of the copies that migrations have kept beside an embedded store, since something was lost.
    ///
    /// Each is a store by itself, with the model of before. They go when the store is opened after 30 days.
    /// - Returns: The paths; empty if nothing was lost, or the copies are gone.
    /// - Throws: `.unknown` if the container has no embedded store of that name.
    public func migrationBackups(ofEmbeddedStoreNamed name: String) throws(CofferError) -> [String] {
        guard let coordinator = coordinator as? EmbeddedCoordinator else {
            throw .unknown(kind: "embedded store", name: name)
        }
        return try coordinator.migrationBackups(ofStoreNamed: name)
    }
}

extension EmbeddedCoordinator {
    /// Copies a store that is open into a file at `path`.
    package func backUp(
        storeNamed name: String, toFileAt path: String, replacing replaces: Bool, asOneFile isOneFile: Bool,
        _ progress: (_ copied: UInt64, _ total: UInt64) -> Bool
    ) throws(CofferError) -> ServiceConnection.Backup {
        guard let description = stores.first(where: { $0.name == name }) else {
            throw .unknown(kind: "embedded store", name: name)
        }
        let store = try translating { () throws(StoreError) in try self.store(description.handle) }
        let (folder, fileName) = try ServiceConnection.place(path, making: store.file.type ?? .sqlite)
        defer { DocumentPackage.removeIfEmpty(path) }
        var options = StoreBackup.Options()
        (options.replaces, options.isOneFile) = (replaces, isOneFile)
        options.closedFolders = Folder.serviceFolders()
        let outcome = try translating { () throws(StoreError) in
            try store.backUp(into: folder, as: fileName, options: options) {
                progress(UInt64($0), UInt64($1))
            }
        }
        return ServiceConnection.Backup(
            uuid: outcome.uuid, number: outcome.number, byteCount: UInt64(outcome.byteCount))
    }
}
