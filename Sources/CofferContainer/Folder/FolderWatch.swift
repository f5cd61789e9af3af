internal import CofferLinux

extension FolderCarrier {
    package func watch(_ body: @escaping @Sendable () -> Void) throws(CarrierError) -> any CarrierWatch {
        guard try isLocal() else {
            throw .unwatchable(place: place, reason: "it is on a network's file system, or one of a program")
        }
        let folder = try folder()
        do throws(LinuxError) {
            return try FolderWatch(folder, body)
        } catch {
            throw .unwatchable(place: place, reason: error.reason)
        }
    }
}

/// Tells of names that came to a folder or went from it, from a thread that ends with it.
///
/// The folder of values is not watched: each comes before the log that names it, or else is looked for again.
private final class FolderWatch: CarrierWatch {
    private let end: EventFD
    private let thread: WorkerThread

    init(_ folder: Folder, _ body: @escaping @Sendable () -> Void) throws(LinuxError) {
        let watch = try FileWatch()
        _ = try watch.add(namesIn: folder)
        let end = try EventFD()
        let events = try Epoll()
        try events.add(watch.number, token: 0, events: .readable)
        try events.add(end.number, token: 1, events: .readable)
        thread = try WorkerThread(name: "container") {
            var batch = EpollBatch(capacity: 2)
            while (try? events.wait(into: &batch)) != nil {
                if (0..<batch.count).contains(where: { batch[$0].token == 1 }) { return }
                var hasNews = false
                while let news = try? watch.read(), !news.isEmpty { hasNews = true }
                if hasNews { body() }
            }
        }
        self.end = end
    }

    deinit { end.signal() }
}
