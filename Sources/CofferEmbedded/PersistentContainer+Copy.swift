public import Coffer
import CofferCoordination
import CofferLinux
public import CofferModel
import CofferStores
import CofferWire

extension PersistentContainer {
    /// Makes a new store of a type in a file at `path`, with all that is in an embedded store at one moment,
    /// while contexts go on reading and writing.
    ///
    /// What `ServiceConnection.copyStore` does for a store of the service. It blocks its thread; call it from
    /// one that no context of an actor waits for. `progress` is told of objects copied and in all, and stops
    /// it with `false`: then the error's reason is `interrupted`.
    /// - Parameters:
    ///   - name: The store's name.
    ///   - path: The file that is to be made.
    ///   - type: How the new store keeps its objects; not `.memory`.
    ///   - configuration: The configuration that the new store keeps; `nil`: that of the store.
    ///   - isPlain: Whether history, and what only Coffer keeps, stays behind.
    ///   - progress: Told now and then of objects copied and in all.
    /// - Returns: What was made, and how ids became others.
    /// - Throws: `.unknown` if the container has no embedded store of that name; `.refused` as
    ///   `ServiceConnection.copyStore` does. Then nothing is left.
    public func copyEmbeddedStore(
        named name: String, toFileAt path: String, type: StoreType,
        asConfiguration configuration: String? = nil,
        isPlain: Bool = false,
        progress: @escaping (_ copied: UInt64, _ total: UInt64) -> Bool = { _, _ in true }
    ) throws(CofferError) -> ServiceConnection.StoreCopy {
        guard let coordinator = coordinator as? EmbeddedCoordinator else {
            throw .unknown(kind: "embedded store", name: name)
        }
        return try coordinator.copy(
            storeNamed: name, toFileAt: path, type: type, asConfiguration: configuration, isPlain: isPlain,
            progress: progress)
    }
}

extension EmbeddedCoordinator {
    /// Makes a new store in a file at `path` of one that is open.
    package func copy(
        storeNamed name: String, toFileAt path: String, type: StoreType,
        asConfiguration configuration: String?,
        isPlain: Bool, progress: @escaping (_ copied: UInt64, _ total: UInt64) -> Bool
    ) throws(CofferError) -> ServiceConnection.StoreCopy {
        guard let description = stores.first(where: { $0.name == name }) else {
            throw .unknown(kind: "embedded store", name: name)
        }
        let outcome = try translating { () throws(StoreError) in
            defer { DocumentPackage.removeIfEmpty(path) }
            var options = CofferStores.StoreCopy.Options()
            (options.isPlain, options.configuration) = (isPlain, configuration)
            options.closedFolders = Folder.serviceFolders()
            let (folder, fileName) = try Self.place(path, making: type)
            return try store(description.handle).copy(
                as: type, into: folder, as: fileName, options: options
            ) { progress(UInt64($0), UInt64($1)) }
        }
        return ServiceConnection.StoreCopy(
            CopiedStoreMessage(outcome), objectCount: UInt64(outcome.objectCount))
    }
}
