internal import Synchronization

/// What happened in a folder that is watched.
package struct FolderHint: Hashable, Sendable {
    /// The names that came, went or were written.
    package private(set) var names: Set<String> = []
    /// Whether these are all; else the folder itself was moved or deleted, or some were not told.
    package private(set) var isWhole = true

    fileprivate init(names: Set<String> = [], isWhole: Bool = true) {
        (self.names, self.isWhole) = (names, isWhole)
    }

    fileprivate mutating func add(_ event: FileWatch.Event) {
        if let name = event.name { names.insert(name) } else { isWhole = false }
    }
}

/// Watches files and folders for the whole process, by one instance of `inotify(7)`: a user has 128 of them,
/// for all programs together.
///
/// Shared. A hint may be missed, and nothing may be watched at all: what is watched is looked at now and then
/// anyway.
package final class FileWatcher: Sendable {
    /// The process's own.
    package static let shared = FileWatcher()

    private struct State {
        var watch: FileWatch?
        var bodies: [FileWatch.ID: [UInt64: @Sendable (FolderHint) -> Void]] = [:]
        var nextNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Watches nothing yet, and has no instance.
    package init() {}

    /// Something that is watched as long as this lives.
    package final class Watched: Sendable {
        private let watcher: FileWatcher
        private let id: FileWatch.ID
        private let number: UInt64

        fileprivate init(_ watcher: FileWatcher, _ id: FileWatch.ID, number: UInt64) {
            (self.watcher, self.id, self.number) = (watcher, id, number)
        }

        deinit { watcher.forget(id, number) }
    }

    /// Calls `body` when a writer has closed the file of a folder, and when it was renamed, replaced or
    /// deleted.
    ///
    /// - Parameters:
    ///   - name: The file's.
    ///   - folder: What it is in.
    ///   - body: Called on the watcher's thread, on which no other is called meanwhile.
    /// - Returns: What it is watched by.
    /// - Throws: `LinuxError` if the user has no instance or no watch left.
    package func watch(
        _ name: String, in folder: Folder, _ body: @escaping @Sendable () -> Void
    ) throws(LinuxError) -> Watched {
        try add { (watch) throws(LinuxError) in
            try watch.add(name, in: folder)
        } telling: { _ in
            body()
        }
    }

    /// Calls `body` when names came to a folder or went from it, and when a file in it was written.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - body: Given which names, on the watcher's thread, on which no other is called meanwhile.
    /// - Returns: What it is watched by.
    /// - Throws: `LinuxError` if the user has no instance or no watch left.
    package func watch(
        namesIn folder: Folder, _ body: @escaping @Sendable (FolderHint) -> Void
    ) throws(LinuxError) -> Watched {
        try add({ (watch) throws(LinuxError) in try watch.add(namesIn: folder) }, telling: body)
    }

    private func add(
        _ begin: (FileWatch) throws(LinuxError) -> FileWatch.ID,
        telling body: @escaping @Sendable (FolderHint) -> Void
    ) throws(LinuxError) -> Watched {
        try state.withLock { (state) throws(LinuxError) in
            let watch = if let watch = state.watch { watch } else { try start() }
            state.watch = watch
            let id = try begin(watch)
            state.nextNumber += 1
            state.bodies[id, default: [:]][state.nextNumber] = body
            return Watched(self, id, number: state.nextNumber)
        }
    }

    /// Begins to listen, for as long as the process lives.
    private func start() throws(LinuxError) -> FileWatch {
        let watch = try FileWatch()
        let events = try Epoll()
        try events.add(watch.number, token: 0, events: .readable)
        _ = try WorkerThread(name: "file-watch") { [weak self] in
            var batch = EpollBatch(capacity: 1)
            // What could go wrong is that there is nothing to wait for any more.
            while (try? events.wait(into: &batch)) != nil {
                guard let self else { return }
                // An error is told again with the next event; a hint may be missed.
                while let events = try? watch.read(), !events.isEmpty { self.tell(events) }
            }
        }
        return watch
    }

    private func tell(_ events: [FileWatch.Event]) {
        var hints: [FileWatch.ID: FolderHint] = [:]
        for event in events { hints[event.id, default: FolderHint()].add(event) }
        let calls = state.withLock { state in
            if hints[.overflow] != nil {
                for id in state.bodies.keys { hints[id] = FolderHint(names: [], isWhole: false) }
            }
            return hints.flatMap { id, hint in (state.bodies[id] ?? [:]).values.map { ($0, hint) } }
        }
        for (body, hint) in calls { body(hint) }
    }

    private func forget(_ id: FileWatch.ID, _ number: UInt64) {
        // What it holds may end with it, and have others forgotten: outside of the lock.
        let body = state.withLock { state in
            let body = state.bodies[id]?.removeValue(forKey: number)
            if state.bodies[id]?.isEmpty == true {
                state.bodies[id] = nil
                state.watch?.remove(id)
            }
            return body
        }
        _ = body
    }
}
