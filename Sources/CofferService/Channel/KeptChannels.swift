import CofferCoordination
import CofferLinux
import CofferWire
import Synchronization

/// Channels of clients that save again and again, which the leader of a store's commits reads while it leads.
///
/// Shared. Whoever is in the list belongs to nobody else, and epoll is silent of it; who takes it out owns it. A save so costs no thread its
/// sleep. Whatever else a client sends there waits for the end of a commit: so only quick ones keep channels, and none that did not save
/// several times in a row. Where a commit takes longer all the same, a deadline lets them go.
final class KeptChannels: SaveSource {
    private struct Kept: Sendable {
        let channel: ServerChannel
        let server: ChannelServer
        /// How often nothing had come since it was kept, or since its last save.
        var vainLooks = 0

        /// Lets any worker read it.
        func giveBack() {
            do throws(WireError) {
                try channel.lookAway()
                server.giveTurn(channel)
            } catch {
                server.service.reactor.run { server.refuse(channel, error) }
            }
        }
    }

    private struct State: Sendable {
        var kept: [Kept] = []
        /// How often somebody took them, mostly the leader, who looks at them.
        var looks: UInt64 = 0
        /// Whether a deadline looks after those in the list.
        var isWatched = false

        mutating func take() -> [Kept] {
            looks &+= 1
            defer { kept = [] }
            return kept
        }
    }

    private unowned let store: PersistentStore  // Calls `gather` while it lives, and nobody else does.
    private let state = Mutex(State())
    // The leader's alone.
    private nonisolated(unsafe) var spin = SpinPolicy(limit: Limits.lingering)

    init(of store: PersistentStore) { self.store = store }

    /// Takes a channel over from its owner, whose save waits for the leader; `false` where it goes on with it.
    func keep(_ channel: ServerChannel, servedBy server: ChannelServer) -> Bool {
        guard channel.isSaving, !channel.hasInput, isQuick else { return false }
        channel.runPostponed()
        state.withLock { $0.kept.append(Kept(channel: channel, server: server)) }
        if store.isCommitting {
            watch(server.service.deadlines)
            return true
        }
        // The leader has gone, perhaps before it could see the channel.
        return state.withLock { state in
            guard let place = state.kept.firstIndex(where: { $0.channel === channel }) else { return true }
            state.kept.remove(at: place)
            return false
        }
    }

    func gather() {
        guard isQuick else { return release() }
        let staying = state.withLock { $0.take() }.compactMap(read)
        guard let first = staying.first else { return }
        state.withLock { $0.kept += staying }
        watch(first.server.service.deadlines)
    }

    func linger(while isIdle: () -> Bool) -> Bool {
        unsafe spin.ended()  // What came of the last wait has come by now.
        guard isQuick else { return false }
        // The policy counts waits that are slept, and tries again after some.
        guard unsafe spin.isSpinning else { return unsafe spin.spin { false } }
        let kept = state.withLock { $0.take() }
        guard !kept.isEmpty else { return false }
        defer { state.withLock { $0.kept += kept } }
        return unsafe spin.spin { !isIdle() || kept.contains { $0.channel.hasNews } }
    }

    func release() {
        for one in state.withLock({ $0.take() }) { one.giveBack() }
    }

    private var isQuick: Bool { store.latestCommitDuration <= Limits.keptWait }

    /// Sees to it that those in the list are not left there.
    private func watch(_ deadlines: Deadlines) {
        let looks: UInt64? = state.withLock { state in
            if state.isWatched || state.kept.isEmpty { return nil }
            state.isWatched = true
            return state.looks
        }
        if let looks { watch(since: looks, deadlines) }
    }

    /// Gives back what is kept where nobody looks meanwhile: what is to wait for a commit alone must not wait for a disk, or a lock, that
    /// takes its time.
    private func watch(since looks: UInt64, _ deadlines: Deadlines) {
        _ = deadlines.add(after: Limits.keptPatience) { [self] in
            let (left, seen): ([Kept], UInt64?) = state.withLock { state in
                if !state.kept.isEmpty, state.looks != looks { return ([], state.looks) }
                state.isWatched = false
                return (state.take(), nil)
            }
            for one in left { one.giveBack() }
            if let seen { watch(since: seen, deadlines) }
        }
    }

    /// Hands in the save that has come; `nil` where the channel is kept no longer.
    private func read(_ one: Kept) -> Kept? {
        let (channel, server) = (one.channel, one.server)
        if channel.isCongested || server.service.reactor.isStopping {
            one.giveBack()
            return nil
        }
        switch channel.look() {
        case .nothing where one.vainLooks < Limits.vainLooks:
            return Kept(channel: channel, server: server, vainLooks: one.vainLooks + 1)
        case .frame(let header, let payload, let descriptors)
        where header.kind == .call && header.method == .save
            && header.payloadByteCount <= Limits.keptRequest:
            let isOfStore = server.handIn(header, payload, descriptors, on: channel, to: store)
            if isOfStore, !channel.hasInput { return Kept(channel: channel, server: server) }
            one.giveBack()
        case .frame(let header, let payload, let descriptors):
            server.service.reactor.run {
                server.serve(channel, after: header, payload, descriptors)
            }
        // Read again it would be another: of what is no frame, some is gone.
        case .malformed(let error): server.service.reactor.run { server.refuse(channel, error) }
        case .nothing, .closed: one.giveBack()
        }
        return nil
    }
}
