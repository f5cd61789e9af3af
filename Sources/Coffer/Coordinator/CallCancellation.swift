internal import CofferWire
internal import Synchronization

/// Takes a call back while it waits for its answer.
///
/// Shared by the thread that calls and the one that takes back; for one call at a time.
package final class CallCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// A call that was not taken back.
    package init() {}

    /// Whether the call was taken back.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Takes the call back: it ends soon, with an error whose code is Cancelled, or with its answer if that
    /// was on its way.
    package func cancel() {
        let action = state.withLock { state in
            state.isCancelled = true
            return state.action
        }
        action?()
    }

    /// Says what tells of it; that is done at once if the call was taken back already.
    func onCancel(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.action = action
            return state.isCancelled
        }
        if isLate { action() }
    }
}

extension CofferError {
    /// The call was taken back before it was made.
    static let cancelled = CofferError.refused(
        code: StatusCode.cancelled.name, reason: "interrupted", text: "The call was taken back.", place: "")

    /// Whether a call ended since it was taken back.
    var isCancellation: Bool {
        if case .refused(let code, _, _, _) = self { code == StatusCode.cancelled.name } else { false }
    }
}
