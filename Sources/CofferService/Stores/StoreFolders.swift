import CofferLinux
import CofferModel
import CofferStores

/// Where stores live: a folder for each user, application and configuration.
///
/// On the session bus `$XDG_DATA_HOME/coffer/<application>/<configuration>/`, on the system bus
/// `/var/lib/coffer/<uid>/…`.
struct StoreFolders: Sendable {
    /// The types whose stores have files.
    private static let types = StoreType.allCases.filter { $0 != .memory }

    /// The folder that holds everything.
    let root: Folder
    /// Whether users are told apart.
    let isSystem: Bool
    /// Where stores are whose content follows the accounts.
    let placements = StorePlacements()
    /// When this service began, in nanoseconds since 1970.
    let start = WallClock.nanosecondsSince1970

    /// The folder of a store, made if it is missing.
    func makeFolder(of key: StoreKey) throws(ServiceError) -> Folder {
        try makeFolder(of: key, in: placements[key])
    }

    /// The folder of one of a store's files, made if it is missing.
    func makeFolder(of key: StoreKey, in placement: String?) throws(ServiceError) -> Folder {
        do throws(LinuxError) {
            return try root.makeFolders(path(of: key, in: placement))
        } catch {
            throw .system(error)
        }
    }

    /// Whether one of a store's files is there.
    func hasFile(_ key: StoreKey, in placement: String?) throws(ServiceError) -> Bool {
        guard let folder = try folder(of: key, in: placement) else { return false }
        do throws(LinuxError) { return try folder.exists(fileName(of: key)) } catch { throw .system(error) }
    }

    /// Whether a store's file was left open in a folder, see `isLeftOpen(_:in:)`.
    func isLeftOpen(_ key: StoreKey, in placement: String?) throws(ServiceError) -> Bool {
        guard let folder = try folder(of: key, in: placement) else { return false }
        return isLeftOpen(fileName(of: key), in: folder)
    }

    /// Whether there is a log beside a file that is not open, which a service of before has written: that
    /// ended before it closed the file.
    func isLeftOpen(_ fileName: String, in folder: Folder) -> Bool {
        // What cannot be seen is told by whatever opens it.
        guard let log = try? folder.facts(of: fileName + "-wal") else { return false }
        return log.modifiedNanoseconds < start
    }

    /// Whether a store has other files than its own one.
    func hasOtherFiles(_ key: StoreKey) throws(ServiceError) -> Bool {
        guard let folder = try folder(of: key, in: StorePlacements.folderName) else { return false }
        do throws(LinuxError) {
            for name in try folder.names() where try folder.exists("\(name)/\(fileName(of: key))") {
                return true
            }
            return false
        } catch {
            throw .system(error)
        }
    }

    /// How many bytes one of a store's files has, with its log; 0 if there is none.
    func fileSize(of key: StoreKey, in placement: String?) throws(ServiceError) -> UInt64 {
        guard let folder = try folder(of: key, in: placement) else { return 0 }
        var byteCount: UInt64 = 0
        do throws(LinuxError) {
            guard try folder.exists(fileName(of: key)) else { return 0 }
            for suffix in ["", "-wal"] {
                byteCount += UInt64(try folder.facts(of: fileName(of: key) + suffix)?.byteCount ?? 0)
            }
        } catch {
            throw .system(error)
        }
        return byteCount
    }

    /// Deletes one of a store's files that no client has open, and the folder that it has for itself; does
    /// nothing if there is none.
    func removeFile(_ key: StoreKey, in placement: String?) throws(ServiceError) {
        guard let folder = try folder(of: key, in: placement) else { return }
        do throws(StoreError) {
            _ = try StoreFile.remove(
                fileName(of: key), in: folder, wait: CofferStores.Limits.replacementLock)
        } catch {
            throw .store(error)
        }
        guard placement != nil else { return }
        // A folder that something else was put into stays.
        do throws(LinuxError) { try root.removeFolder(path(of: key, in: placement)) } catch { return }
    }

    /// The folder of a store; `nil` if there is none.
    func folder(of key: StoreKey) throws(ServiceError) -> Folder? {
        try folder(of: key, in: placements[key])
    }

    private func folder(of key: StoreKey, in placement: String?) throws(ServiceError) -> Folder? {
        do throws(LinuxError) {
            return try root.folder(path(of: key, in: placement))
        } catch {
            if error.isNotFound { return nil }
            throw .system(error)
        }
    }

    /// The folder with all that belongs to a user of the system's service; `nil` if there is none.
    func folder(ofUser userID: UInt32) throws(LinuxError) -> Folder? {
        try existing(String(userID), in: root)
    }

    /// The type of a store by its file; `nil` if there is none.
    func type(of key: StoreKey) throws(ServiceError) -> StoreType? {
        guard let folder = try folder(of: key) else { return nil }
        do throws(LinuxError) {
            for type in Self.types where try folder.exists(fileName(of: key, type)) { return type }
            return nil
        } catch {
            throw .system(error)
        }
    }

    /// Finishes moves that a crash has interrupted, of a store that no client has open.
    func finishMoves(of key: StoreKey) throws(ServiceError) {
        guard let folder = try folder(of: key) else { return }
        do throws(StoreError) { try StoreMove.finish(key.name, in: folder) } catch { throw .store(error) }
    }

    /// The name of a store's file in its folder; one in memory has none.
    func fileName(of key: StoreKey, _ type: StoreType = .sqlite) -> String {
        key.name + type.fileSuffix
    }

    /// The stores on the disk that belong to a user, of one application or of all.
    func stores(ofUser userID: UInt32, application: String?) throws(ServiceError) -> [StoreKey] {
        do throws(LinuxError) {
            var keys: [StoreKey] = []
            guard let base = try existing(isSystem ? String(userID) : nil, in: root) else { return [] }
            let applications: [String] = if let application { [application] } else { try folders(in: base) }
            for application in applications.sorted() {
                guard let folder = try existing(application, in: base) else { continue }
                for configuration in try folders(in: folder).sorted() {
                    for store in Self.stores(try folder.folder(configuration).names()) {
                        // A file whose name cannot be a store's is not ours.
                        let key = try? StoreKey(
                            userID: userID, application: application, configuration: configuration,
                            name: store)
                        guard let key else { continue }
                        // What a store is served from may be elsewhere, or gone, and this be kept of before.
                        let isServed = placements[key] == nil ? true : try hasFile(key)
                        if isServed { keys.append(key) }
                    }
                }
            }
            for key in placements.keys where key.userID == userID && applications.contains(key.application) {
                let isThere = try hasFile(key)
                if isThere, !keys.contains(key) { keys.append(key) }
            }
            return keys
        } catch {
            throw .system(error)
        }
    }

    /// The names of the stores that files of these names are, in order.
    private static func stores(_ names: [String]) -> [String] {
        let stores = names.compactMap { name in
            types.first { name.hasSuffix($0.fileSuffix) }.map { String(name.dropLast($0.fileSuffix.count)) }
        }
        return Set(stores).sorted()
    }

    /// Whether the file is there that a store is served from.
    private func hasFile(_ key: StoreKey) throws(LinuxError) -> Bool {
        do throws(LinuxError) {
            return try root.folder(path(of: key, in: placements[key])).exists(fileName(of: key))
        } catch {
            if error.isNotFound { return false }
            throw error
        }
    }

    private func path(of key: StoreKey, in placement: String?) -> String {
        var path = "\(key.application)/\(key.configuration)"
        if let placement { path += "/\(placement)" }
        return isSystem ? "\(key.userID)/\(path)" : path
    }

    private func existing(_ name: String?, in folder: Folder) throws(LinuxError) -> Folder? {
        guard let name else { return folder }
        do throws(LinuxError) {
            return try folder.folder(name)
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
    }

    private func folders(in folder: Folder) throws(LinuxError) -> [String] {
        var names: [String] = []
        for name in try folder.names() where !name.hasPrefix(".") {
            if try folder.facts(of: name)?.kind == .folder { names.append(name) }
        }
        return names
    }
}
