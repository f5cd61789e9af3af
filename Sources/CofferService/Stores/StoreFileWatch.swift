import CofferCoordination
import CofferLinux
import CofferStores
import Logging
import Synchronization

/// Looks at a store's file when a process that could write to it has closed it, and when its name or that of
/// its log has gone, so that its clients hear of that even if none calls.
///
/// Shared. Our own saves keep the file open, and so wake nobody.
final class StoreFileWatch: Sendable {
    private let watch: FileWatch
    private let stores = Mutex<[FileWatch.ID: ServedStore]>([:])
    private let logger: Logger

    init(logger: Logger) throws(LinuxError) {
        watch = try FileWatch()
        self.logger = logger
    }

    /// The descriptor to watch; readable while there is something for `look`.
    var number: Int32 { watch.number }

    /// A store was opened or closed.
    func note(_ store: ServedStore, isOpen: Bool) {
        let file = store.persistentStore.file
        if !isOpen {
            let ids = stores.withLock { stores in
                let ids = stores.filter { $0.value === store }.map(\.key)
                for id in ids { stores[id] = nil }
                return ids
            }
            for id in ids { watch.remove(id) }
            return
        }
        if file.isReadOnly { return }
        do throws(LinuxError) {
            for name in file.watchedNames {
                let id = try watch.add(name, in: file.folder)
                stores.withLock { $0[id] = store }
            }
        } catch {
            logger.warning(
                "What others write into a store is noticed with the next call only",
                metadata: ["store": "\(store.key.description)", "error": "\(error)"])
        }
    }

    /// Looks at the files of which something was told.
    func readEvents() {
        do throws(LinuxError) {
            while true {
                let ids = try watch.read()
                if ids.isEmpty { return }
                for store in stores.withLock({ stores in ids.compactMap { stores[$0] } }) {
                    store.persistentStore.checkPlace()
                    store.persistentStore.checkForForeignChanges(isUrgent: true)
                }
            }
        } catch {
            logger.warning("Files cannot be watched", metadata: ["error": "\(error)"])
        }
    }
}
