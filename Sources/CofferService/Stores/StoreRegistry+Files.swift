import CofferLinux
import CofferModel
import CofferStores
import Logging

/// The files of stores that have several.
extension StoreRegistry {
    /// Makes the file that a store is served from if there is none, with the model of another one of its
    /// files; does nothing if there is no other file.
    func makeFile(of key: StoreKey, like folder: Folder?) throws(ServiceError) {
        guard let folder, try places.type(of: key) == nil else { return }
        let model = try openExistingFile(of: key, in: folder).model
        try makeFile(of: key, in: places.makeFolder(of: key), model)
    }

    /// Opens a file of the store that it is not served from, with the file's own model.
    func openExistingFile(of key: StoreKey, in folder: Folder) throws(ServiceError) -> StoreFile {
        var options = patientOptions
        options.mustExist = true
        do throws(StoreError) {
            return try StoreFile.open(
                in: folder, fileName: places.fileName(of: key), model: nil,
                configuration: key.configuration, options: options)
        } catch {
            throw .store(error)
        }
    }

    /// Makes a file of a store if there is none.
    func makeFile(of key: StoreKey, in folder: Folder, _ model: StoreModel) throws(ServiceError) {
        _ = try openFile(of: key, in: folder, model)
    }

    /// One of a store's files that no client is served from.
    ///
    /// It is made if there is none, and taken to the model if it has another one, as when a store is opened.
    func openFile(
        of key: StoreKey, in folder: Folder, _ model: StoreModel
    ) throws(ServiceError) -> StoreFile {
        var options = patientOptions
        options.migration = MigrationOptions(isAutomatic: true)
        do throws(StoreError) {
            return try StoreFile.open(
                in: folder, fileName: places.fileName(of: key), model: model,
                configuration: key.configuration, options: options)
        } catch {
            throw .store(error)
        }
    }

    /// For a file that was served until just now: a reader may still hold its lock for a moment.
    private var patientOptions: StoreOptions {
        var options = defaults
        options.patience = Limits.lockPatience
        return options
    }
}

/// Stores that no session uses.
extension StoreRegistry {
    /// Closes an open store that no session uses; does nothing if one uses it, or if it is being exchanged.
    func closeIfUnused(_ key: StoreKey) throws(ServiceError) {
        if openStore(key) == nil { return }
        do throws(ServiceError) {
            if let store = try claimUnused(key) {
                close(store)
                didChange(store, false)
            }
            giveBack(key)
        } catch {
            switch error {
            case .storeInUse, .exchangeUnderWay: return
            default: throw error
            }
        }
    }

    /// Deletes the files of a store that no session uses, unless `keep`, which is called when it is closed,
    /// says that they stay.
    func remove(
        _ key: StoreKey, unless keep: () throws(ServiceError) -> Bool = { false }
    ) throws(ServiceError) {
        var isInMemory = false
        if let store = try claimUnused(key) {
            isInMemory = store.type == .memory
            close(store)
            didChange(store, false)
        }
        defer { giveBack(key) }
        if isInMemory { return }
        let type = try places.type(of: key)
        guard let folder = try places.folder(of: key) else { throw .noSuchStore(key.description) }
        if type != nil, try keep() { return }
        do throws(StoreError) {
            // Another thread, the last to use it, may still have to let it go.
            let isThere = try StoreFile.remove(
                places.fileName(of: key, type ?? .sqlite), in: folder, wait: Limits.lockPatience.own)
            guard isThere else { throw .notFound(path: key.description) }
            logger.notice("Removed a store", metadata: ["store": "\(key.description)"])
        } catch {
            if case .notFound = error { throw .noSuchStore(key.description) }
            throw .store(error)
        }
    }
}
