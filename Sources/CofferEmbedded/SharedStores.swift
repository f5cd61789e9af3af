import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores

/// The stores that this process has open for itself, each once, however many coordinators are over its file.
///
/// Shared. A file has one owner for writing; coordinators of one process are that one together, with one
/// writer and one row cache, and hear of each other's saves. A store is closed when the last of them goes.
enum SharedStores {
    private struct State: Sendable {
        var entries: [Weak<PersistentStore>] = []
        var isOpening = false
    }

    // One store is opened at a time, so that no opening meets the lock of another one of the same file.
    private static let state = ConditionLock(State())

    /// The store of a file: the one that is open with the same model and configuration, else a new one.
    ///
    /// An open store keeps the options of its first opening, but for those of `PersistentStore.tighten`.
    /// - Throws: as `StoreFile.open`; `lockedByOther` with this process's number if it is open with another
    ///   model or configuration, or if it is open for writing and is now to be only read. A store that is
    ///   only read needs a file that no process changes.
    static func open(
        in folder: Folder, fileName: String, model: StoreModel?, configuration: String, options: StoreOptions
    ) throws(StoreError) -> PersistentStore {
        let _: Bool = state.wait { state in
            if state.isOpening { return nil }
            state.isOpening = true
            return true
        }
        defer {
            state.withLock { $0.isOpening = false }
            state.signal()
        }
        if options.type != .memory, options.source == nil, let store = try present(in: folder, fileName) {
            let isSame =
                store.file.configuration == configuration
                && model?.id ?? store.file.model.id == store.file.model.id
            guard isSame, !options.isReadOnly else {
                throw .lockedByOther(path: folder.path + "/" + fileName, pid: CurrentProcess.id)
            }
            try store.tighten(options.pragmas)
            return store
        }
        let file = try StoreFile.open(
            in: folder, fileName: fileName, model: model, configuration: configuration, options: options)
        let store = try PersistentStore(file: file)
        if !file.isOpenedReadOnly, file.source == nil { share(store) }
        return store
    }

    /// Lets others of this process use a store that is open for writing.
    static func share(_ store: PersistentStore) {
        state.withLock { state in
            state.entries.removeAll { $0.object == nil }
            state.entries.append(Weak(store))
        }
    }

    /// The store that this process has open for writing over a file.
    ///
    /// Found by the file's number, for nothing may open it only to look: see `StoreOpening`.
    private static func present(in folder: Folder, _ fileName: String) throws(StoreError) -> PersistentStore?
    {
        let facts: FileFacts?
        do throws(LinuxError) { facts = try folder.facts(of: fileName) } catch { throw StoreError(error) }
        guard let facts else { return nil }
        return state.withLock { $0.entries }.lazy.compactMap(\.object)
            .first { $0.file.currentIdentity.isSameFile(as: facts) }
    }
}
