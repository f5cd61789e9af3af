internal import CofferWire
internal import Synchronization

/// How many contexts a client has, and how many of them the service knows of.
///
/// Shared. The service hears of the difference together with the next call.
final class ContextCount: Sendable {
    private struct State {
        var now = 0
        var told = 0
        /// The channel on which it was told; on another, nothing was.
        weak var link: ChannelLink?
    }

    private let state = Mutex(State())

    /// Counts so many more contexts, or fewer.
    func change(by count: Int) {
        state.withLock { $0.now += count }
    }

    /// What to send on a channel before the next call; `nil` if it knows all.
    func untold(on link: ChannelLink) -> ReleaseRequestMessage? {
        state.withLock { state in
            if state.link !== link {
                state.link = link
                state.told = 0
            }
            if state.now == state.told { return nil }
            defer { state.told = state.now }
            return ReleaseRequestMessage(contexts: Int32(clamping: state.now - state.told))
        }
    }
}
