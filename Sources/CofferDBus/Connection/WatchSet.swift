import CDBus
import Glibc

/// The watches of one connection: what its loop waits for.
///
/// Confined to the thread of the loop. libdbus adds and removes watches through it while it lives, and keeps
/// it alive until the connection is gone. Timeouts need no such set: libdbus makes them for its own pending
/// calls only, and we have none.
@safe final class WatchSet {
    private var watches: [Watch] = []

    /// Makes `connection` keep its watches in a new set.
    static func attach(to connection: ConnectionHandle) throws(DBusError) -> WatchSet {
        let set = WatchSet()
        let data = unsafe Unmanaged.passRetained(set).toOpaque()
        let isDone = unsafe dbus_connection_set_watch_functions(
            connection.pointer,
            { watch, data in
                guard let watch = unsafe watch, let set = unsafe WatchSet.from(data) else { return 0 }
                set.watches.append(unsafe Watch(pointer: watch))
                return 1
            },
            { watch, data in
                guard let watch = unsafe watch else { return }
                let removed = unsafe Watch(pointer: watch)
                unsafe WatchSet.from(data)?.watches.removeAll { $0 == removed }
            },
            { _, _ in },  // Whether a watch is enabled is read before each wait.
            data,
            { data in if let data = unsafe data { unsafe Unmanaged<WatchSet>.fromOpaque(data).release() } })
        guard isDone != 0 else { throw .outOfMemory }
        return set
    }

    /// Waits until a watch or `event` is ready or the time is over, and handles the watches that are.
    ///
    /// - Parameters:
    ///   - event: A descriptor to wait for besides.
    ///   - timeoutMilliseconds: -1 for ever.
    /// - Returns: Whether `event` is ready.
    func wait(event: Int32, timeoutMilliseconds: Int32) -> Bool {
        let waited = watches.filter(\.isEnabled)
        var entries = [pollfd(fd: event, events: Int16(POLLIN), revents: 0)]
        entries += waited.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        guard unsafe poll(&entries, nfds_t(entries.count), timeoutMilliseconds) > 0 else { return false }
        for (watch, entry) in zip(waited, entries.dropFirst()) where entry.revents != 0 {
            // Handling one may remove another.
            if watches.contains(watch) { watch.handle(entry.revents) }
        }
        return entries[0].revents != 0
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> WatchSet? {
        guard let data = unsafe data else { return nil }
        return unsafe Unmanaged<WatchSet>.fromOpaque(data).takeUnretainedValue()
    }
}

/// One DBusWatch, good until libdbus removes it from its set.
@safe private struct Watch: Equatable {
    let pointer: OpaquePointer

    static func == (left: Watch, right: Watch) -> Bool { unsafe left.pointer == right.pointer }

    var isEnabled: Bool { unsafe dbus_watch_get_enabled(pointer) != 0 }

    var descriptor: Int32 { unsafe dbus_watch_get_unix_fd(pointer) }

    /// What `poll` shall wait for.
    var events: Int16 {
        let flags = unsafe dbus_watch_get_flags(pointer)
        var events: Int16 = 0
        if flags & DBUS_WATCH_READABLE.rawValue != 0 { events |= Int16(POLLIN) }
        if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { events |= Int16(POLLOUT) }
        return events
    }

    func handle(_ events: Int16) {
        var flags: UInt32 = 0
        if events & Int16(POLLIN) != 0 { flags |= DBUS_WATCH_READABLE.rawValue }
        if events & Int16(POLLOUT) != 0 { flags |= DBUS_WATCH_WRITABLE.rawValue }
        if events & Int16(POLLERR) != 0 { flags |= DBUS_WATCH_ERROR.rawValue }
        if events & Int16(POLLHUP) != 0 { flags |= DBUS_WATCH_HANGUP.rawValue }
        unsafe dbus_watch_handle(pointer, flags)
    }
}
