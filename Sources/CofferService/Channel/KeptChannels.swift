import CofferCoordination
import CofferWire
import Synchronization

/// Channels of clients that save again and again, which the leader of a store's commits reads while it leads.
///
/// Shared. Whoever is in the list belongs to nobody else, and epoll is silent of it; who takes it out owns it. A save so costs no thread its
/// sleep. Whatever else a client sends there waits for the end of a commit: so only quick ones keep channels, and none that did not save
/// several times in a row.
final class KeptChannels: SaveSource {
    private struct Kept: Sendable {
        let channel: ServerChannel
        let server: ChannelServer
        /// How often nothing had come since it was kept, or since its last save.
        var vainLooks = 0

        /// Lets any worker read it.
        func giveBack() { server.giveTurn(channel) }
    }

    private unowned let store: PersistentStore  // Calls `gather` while it lives, and nobody else does.
    private let kept = Mutex<[Kept]>([])

    init(of store: PersistentStore) { self.store = store }

    /// Takes a channel over from its owner, whose save waits for the leader; `false` where it goes on with it.
    func keep(_ channel: ServerChannel, servedBy server: ChannelServer) -> Bool {
        guard channel.isSaving, !channel.hasInput, isQuick else { return false }
        channel.runPostponed()
        kept.withLock { $0.append(Kept(channel: channel, server: server)) }
        if store.isCommitting { return true }
        // The leader has gone, perhaps before it could see the channel.
        return kept.withLock { kept in
            guard let place = kept.firstIndex(where: { $0.channel === channel }) else { return true }
            kept.remove(at: place)
            return false
        }
    }

    func gather() {
        guard isQuick else { return release() }
        let staying = take().compactMap(read)
        if !staying.isEmpty { kept.withLock { $0 += staying } }
    }

    func release() {
        for one in take() { one.giveBack() }
    }

    private var isQuick: Bool { store.latestCommitDuration <= Limits.keptWait }

    private func take() -> [Kept] {
        kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
    }

    /// Hands in the save that has come; `nil` where the channel is kept no longer.
    private func read(_ one: Kept) -> Kept? {
        let (channel, server) = (one.channel, one.server)
        if channel.isCongested || server.service.reactor.isStopping {
            one.giveBack()
            return nil
        }
        switch channel.readNow() {
        case .nothing where one.vainLooks < Limits.vainLooks:
            return Kept(channel: channel, server: server, vainLooks: one.vainLooks + 1)
        case .frame(let header, let payload, let descriptors)
        where header.kind == .call && header.method == .save
            && header.payloadByteCount <= Limits.keptRequest:
            server.handIn(header, payload, descriptors, on: channel, to: store)
            if !channel.hasInput { return Kept(channel: channel, server: server) }
            one.giveBack()
        case .frame(let header, let payload, let descriptors):
            server.service.reactor.run {
                server.serve(channel, after: header, payload, descriptors)
            }
        case .nothing, .closed, .malformed: one.giveBack()
        }
        return nil
    }
}
