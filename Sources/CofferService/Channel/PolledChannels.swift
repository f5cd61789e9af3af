import CofferCoordination
import CofferLinux
import CofferWire
import Synchronization

/// Channels of clients that save again and again, which the leader of a store's commits reads while it leads.
///
/// Shared. A channel in the list belongs to no other thread, and epoll is silent about it; the thread that
/// takes it out owns it. So a save costs no thread its sleep. Whatever else a client sends there waits for
/// the end of a commit: so only quick commits keep channels, and only those that saved several times in a
/// row. If a commit takes longer all the same, a deadline lets them go.
final class PolledChannels: SaveSource {
    private struct Polled: Sendable {
        let channel: ServerChannel
        let server: ChannelServer

        /// Lets any worker read it.
        func giveBack() {
            do throws(WireError) {
                try channel.stopPolling()
                server.giveTurn(channel)
            } catch {
                server.service.reactor.run { server.refuse(channel, error) }
            }
        }
    }

    private unowned let store: PersistentStore  // The only caller of `poll`, while it lives.
    private let list = Mutex(PolledList<Polled>())
    // The leader's alone.
    private nonisolated(unsafe) var spin = SpinPolicy(limit: Limits.spinForNextSave)

    init(of store: PersistentStore) { self.store = store }

    /// Takes a channel over from a worker whose save waits for the leader; `false` if the worker keeps the
    /// channel and goes on serving it.
    func keep(_ channel: ServerChannel, servedBy server: ChannelServer) -> Bool {
        guard channel.isSaving, !channel.hasInput, isQuick else { return false }
        channel.runPostponed()
        list.withLock { $0.keep(Polled(channel: channel, server: server)) }
        if store.isCommitting {
            watch(server.service.deadlines)
            return true
        }
        // The leader has gone, perhaps before it could see the channel.
        return !list.withLock { $0.takeBack { $0.channel === channel } }
    }

    func poll() {
        guard isQuick else { return stopPolling() }
        let staying = list.withLock { $0.take() }.compactMap(read)
        guard let first = staying.first else { return }
        list.withLock { $0.keep(staying) }
        watch(first.element.server.service.deadlines)
    }

    func spinForNext(while isIdle: () -> Bool) -> Bool {
        unsafe spin.ended()  // What came of the last wait has come by now.
        guard isQuick else { return false }
        // The policy counts waits that are slept, and tries again after some.
        guard unsafe spin.isSpinning else { return unsafe spin.spin { false } }
        let kept = list.withLock { $0.take() }
        guard !kept.isEmpty else { return false }
        defer { list.withLock { $0.keep(kept) } }
        return unsafe spin.spin { !isIdle() || kept.contains { $0.element.channel.hasNews } }
    }

    func stopPolling() {
        for one in list.withLock({ $0.take() }) { one.element.giveBack() }
    }

    private var isQuick: Bool { store.latestCommitDuration <= Limits.polledWait }

    /// Sees to it that those in the list are not left there.
    private func watch(_ deadlines: TimerQueue) {
        if let looks = list.withLock({ $0.beginWatch() }) { watch(since: looks, deadlines) }
    }

    /// Gives back what is kept if the list is not looked at meanwhile: what is to wait only for a commit
    /// must not wait for a disk, or a lock, that takes its time.
    private func watch(since looks: UInt64, _ deadlines: TimerQueue) {
        _ = deadlines.add(after: Limits.polledPatience) { [self] in
            switch list.withLock({ $0.deadlinePassed(since: looks) }) {
            case .watchOn(let looks): watch(since: looks, deadlines)
            case .giveBack(let left): for one in left { one.element.giveBack() }
            }
        }
    }

    /// Hands in the save that has come; `nil` if the channel is no longer kept.
    private func read(_ entry: PolledList<Polled>.Entry) -> PolledList<Polled>.Entry? {
        let one = entry.element
        let (channel, server) = (one.channel, one.server)
        if channel.isCongested || server.service.reactor.isStopping {
            one.giveBack()
            return nil
        }
        switch channel.poll() {
        case .nothing:
            if let looked = entry.polledInVain { return looked }
            one.giveBack()
        case .frame(let header, let payload, let descriptors) where header.isReadByLeader:
            let isOfStore = server.enqueueSave(
                header, payload: payload, descriptors: descriptors, on: channel, to: store)
            if isOfStore, !channel.hasInput { return PolledList<Polled>.Entry(one) }
            one.giveBack()
        case .frame(let header, let payload, let descriptors):
            server.service.reactor.run {
                server.serve(channel, after: header, payload: payload, descriptors: descriptors)
            }
        // A second reading would give another frame, since part of the invalid one has been consumed.
        case .malformed(let error): server.service.reactor.run { server.refuse(channel, error) }
        case .closed: one.giveBack()
        }
        return nil
    }
}
