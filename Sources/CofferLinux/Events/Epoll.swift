internal import CLinux

/// What a descriptor is watched for, or was found ready for.
package struct EpollEvents: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Nothing but what is told without asking; other than an empty literal not made by generic code at every
    /// call.
    package init() { rawValue = 0 }

    /// Something can be read, or the other end is gone.
    package static let readable = EpollEvents(rawValue: coffer_epollin)
    /// Something out of the ordinary happened, as a threshold of the kernel's was passed.
    package static let urgent = EpollEvents(rawValue: coffer_epollpri)
    /// Something can be written.
    package static let writable = EpollEvents(rawValue: coffer_epollout)
    /// The other end has shut down its writing; told only if asked for.
    package static let peerClosed = EpollEvents(rawValue: coffer_epollrdhup)
    /// Both directions ended; told without asking.
    package static let hangUp = EpollEvents(rawValue: coffer_epollhup)
    /// The descriptor failed; told without asking.
    package static let failed = EpollEvents(rawValue: coffer_epollerr)
}

/// One descriptor that is ready: the token it was added with, and for what.
package struct EpollEvent: Equatable, Sendable {
    /// What the descriptor was added with.
    package let token: UInt64
    /// What it is ready for.
    package let events: EpollEvents
}

/// Room for what one wait finds, kept by its caller so that waiting allocates nothing.
package struct EpollBatch: Sendable {
    fileprivate var events: [coffer_event]
    /// How many events the last wait found.
    package fileprivate(set) var count = 0

    /// Room for up to `capacity` events, at most `Limits.eventsPerWait`.
    package init(capacity: Int = 16) {
        precondition(capacity > 0, "a batch holds at least one event")
        events = Array(repeating: coffer_event(), count: min(capacity, Limits.eventsPerWait))
    }

    /// Event `index` of those found.
    package subscript(index: Int) -> EpollEvent {
        precondition(index < count, "no such event")
        return EpollEvent(token: events[index].token, events: EpollEvents(rawValue: events[index].events))
    }
}

/// A set of descriptors that threads wait for together.
///
/// Shared: any thread may change the set while others wait. It does not keep descriptors open, and one that
/// is closed leaves the set only if no duplicate of it is open: remove it first.
package final class Epoll: Sendable {
    private let descriptor: OwnedDescriptor

    /// An empty set.
    package init() throws(LinuxError) {
        descriptor = OwnedDescriptor(owning: try check(coffer_epoll_create(), "epoll_create1"))
    }

    /// The set's own descriptor, readable while something in it is ready: sets can stand in sets.
    package var number: Int32 { descriptor.number }

    /// Watches `number` for `events`.
    ///
    /// With `oneShot`, the descriptor is silent after one event until `modify` arms it again; with
    /// `edgeTriggered`, it is told once when it becomes ready, not as long as it is.
    package func add(
        _ number: Int32, token: UInt64, events: EpollEvents, oneShot: Bool = false,
        edgeTriggered: Bool = false
    ) throws(LinuxError) {
        let all = flags(events, oneShot: oneShot, edgeTriggered: edgeTriggered)
        try check(coffer_epoll_add(descriptor.number, number, all, token), "epoll_ctl(EPOLL_CTL_ADD)")
    }

    /// Changes what `number` is watched for, and arms it again; with no events it stays silent, but for
    /// failures and hang-ups.
    package func modify(
        _ number: Int32, token: UInt64, events: EpollEvents, oneShot: Bool = false,
        edgeTriggered: Bool = false
    ) throws(LinuxError) {
        let all = flags(events, oneShot: oneShot, edgeTriggered: edgeTriggered)
        try check(coffer_epoll_modify(descriptor.number, number, all, token), "epoll_ctl(EPOLL_CTL_MOD)")
    }

    /// Stops watching `number`; another thread may still get an event of it that was found before.
    package func remove(_ number: Int32) throws(LinuxError) {
        try check(coffer_epoll_remove(descriptor.number, number), "epoll_ctl(EPOLL_CTL_DEL)")
    }

    /// Waits until something is ready, fills `batch` and returns how many events it holds.
    ///
    /// It waits at most `timeoutMilliseconds`: -1 for ever, 0 not at all. The result is 0 if time ran out or
    /// a signal came.
    @discardableResult
    package func wait(
        into batch: inout EpollBatch, timeoutMilliseconds: Int32 = -1
    ) throws(LinuxError) -> Int {
        let capacity = Int32(batch.events.count)
        batch.count = 0
        let result = unsafe batch.events.withUnsafeMutableBufferPointer {
            unsafe coffer_epoll_wait(descriptor.number, $0.baseAddress, capacity, timeoutMilliseconds)
        }
        batch.count = Int(try check(result, "epoll_wait"))
        return batch.count
    }

    private func flags(_ events: EpollEvents, oneShot: Bool, edgeTriggered: Bool) -> UInt32 {
        events.rawValue | (oneShot ? coffer_epolloneshot : 0) | (edgeTriggered ? coffer_epollet : 0)
    }
}
