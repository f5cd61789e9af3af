import CofferWire
import Synchronization

/// How a call to a client ended.
enum ClientAnswer: Sendable {
    /// The client's reply, or why it refused.
    case reply(StatusCode, [UInt8])
    /// The client did not answer in time.
    case late
    /// The client's channel is closed.
    case gone
}

/// The calls that the service makes over one channel.
///
/// Shared: by the worker that reads the channel, the one that the time wakes, and the callers. No thread
/// waits; what becomes of a call is told to a closure, once, outside the lock.
final class ClientCalls: Sendable {
    /// Told how a call ended.
    typealias Completion = @Sendable (ClientAnswer) -> Void

    private struct Call {
        var state = ClientCallState.waiting
        /// `nil` once it was told: a client that never answers must not keep what the closure holds.
        var completion: Completion?
    }

    private struct State {
        var calls: [UInt64: Call] = [:]
        /// The service's are even.
        var nextID: UInt64 = 2
        var isClosed = false
    }

    private let state = Mutex(State())

    /// The number of a new call; `nil` if the channel is closed, or its client has left too many calls
    /// unanswered.
    func begin(_ completion: @escaping Completion) -> UInt64? {
        state.withLock { state in
            if state.isClosed || state.calls.count >= Limits.unansweredCalls { return nil }
            defer { state.nextID += 2 }
            state.calls[state.nextID] = Call(completion: completion)
            return state.nextID
        }
    }

    /// Takes a client's reply; `false` if it answers a call that was never made.
    func take(_ header: FrameHeader, _ payload: [UInt8]) -> Bool {
        let wasMade = state.withLock { header.callID % 2 == 0 && (2..<$0.nextID).contains(header.callID) }
        if wasMade { _ = handle(.replied, of: header.callID, reply: .reply(header.status, payload)) }
        return wasMade
    }

    /// Goes on with a call; says whether the client is to be told that its answer is not waited for.
    func handle(_ event: ClientCallEvent, of id: UInt64, reply: ClientAnswer = .gone) -> Bool {
        let (completion, actions): (Completion?, [ClientCallAction]) = state.withLock { state in
            guard var call = state.calls[id], let (next, actions) = call.state.transition(on: event) else {
                return (nil, [])
            }
            let completion = call.completion
            (call.state, call.completion) = (next, nil)
            state.calls[id] = next == .ended ? nil : call
            return (completion, actions)
        }
        for action in actions {
            switch action {
            case .tellReply: completion?(reply)
            case .tellLate: completion?(.late)
            case .tellGone: completion?(.gone)
            case .sendCancel: break
            }
        }
        return actions.contains(.sendCancel)
    }

    /// The channel is closed: no call is answered any more.
    func close() {
        let ids = state.withLock { state in
            state.isClosed = true
            return state.calls.keys.sorted()
        }
        for id in ids { _ = handle(.channelClosed, of: id) }
    }
}
