import CofferCoordination
import CofferLinux
import CofferStores
import Logging
import Synchronization

/// Looks at a store's file when a process that could write to it has closed it, and when its name or that of
/// its log has gone, so that its clients hear of that even if none calls.
///
/// Shared. Our own saves keep the file open, and so cause no look. A file that the system does not watch,
/// since its user has no instance of `inotify(7)` left, is looked at now and then until one is free.
final class StoreFileWatch: Sendable {
    private struct State {
        /// What is watched of each open store.
        var watched: [ObjectIdentifier: [FileWatcher.Watched]] = [:]
        /// Open stores of which something is not watched.
        var unwatched: [ServedStore] = []
    }

    /// How soon a file that is not watched is looked at again.
    private static let pause = Duration.seconds(2)

    private let state = Mutex(State())
    private let timer: TimerFD
    private let logger: Logger
    private let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Watches nothing yet; `run` lets a worker look.
    ///
    /// - Throws: `LinuxError` if descriptors have run out.
    init(
        logger: Logger, run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) throws(LinuxError) {
        timer = try TimerFD()
        (self.logger, self.run) = (logger, run)
    }

    /// The descriptor to wait for; readable when `lookAtUnwatched` is to be called.
    var number: Int32 { timer.number }

    /// A store was opened or closed.
    func note(_ store: ServedStore, isOpen: Bool) {
        if !isOpen {
            // Their ends need the watcher's lock: outside of this one.
            let ended = state.withLock { state in
                state.unwatched.removeAll { $0 === store }
                return state.watched.removeValue(forKey: ObjectIdentifier(store))
            }
            _ = ended
        } else if !store.persistentStore.file.isReadOnly, let error = watch(store) {
            logger.warning(
                "What others write into a store is looked for every two seconds, since the system does not tell",
                metadata: ["store": "\(store.key.description)", "error": "\(error)"])
            state.withLock { $0.unwatched.append(store) }
            arm()
        }
    }

    /// Has the files of a store watched.
    ///
    /// - Returns: Why not.
    private func watch(_ store: ServedStore) -> LinuxError? {
        let file = store.persistentStore.file
        do throws(LinuxError) {
            var watched: [FileWatcher.Watched] = []
            for name in file.watchedNames {
                watched.append(
                    try FileWatcher.shared.watch(name, in: file.folder) { [run] in
                        run { Self.look(at: store) }
                    })
            }
            state.withLock { [watched] in $0.watched[ObjectIdentifier(store)] = watched }
            return nil
        } catch {
            return error
        }
    }

    /// Looks at the files of which the system does not tell, and tries again to have them watched.
    func lookAtUnwatched() {
        _ = timer.drain()
        for store in state.withLock({ $0.unwatched }) {
            // First watched, then looked at: nothing comes between.
            if watch(store) == nil { endLooking(at: store) }
            Self.look(at: store)
        }
        if state.withLock({ !$0.unwatched.isEmpty }) { arm() }
    }

    /// Notes that a store is watched now; one that was closed meanwhile is not watched any more.
    private func endLooking(at store: ServedStore) {
        let ended = state.withLock { state -> [FileWatcher.Watched]? in
            guard let index = state.unwatched.firstIndex(where: { $0 === store }) else {
                return state.watched.removeValue(forKey: ObjectIdentifier(store))
            }
            state.unwatched.remove(at: index)
            return nil
        }
        _ = ended
    }

    private func arm() {
        do throws(LinuxError) {
            try timer.arm(after: Self.pause)
        } catch {
            logger.warning("Files cannot be watched", metadata: ["error": "\(error)"])
        }
    }

    private static func look(at store: ServedStore) {
        store.persistentStore.checkPlace()
        store.persistentStore.checkForForeignChanges(isUrgent: true)
    }
}
