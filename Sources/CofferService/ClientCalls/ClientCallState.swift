/// The state of a call that the service makes to a client.
///
/// The caller is told once how the call ended, whatever the client does: answers, stays silent, or goes.
package enum ClientCallState: Sendable, Hashable, CaseIterable {
    /// The client has not answered yet.
    case waiting
    /// The caller waits no longer, but the client may still answer.
    case givenUp
    /// Nothing comes any more.
    case ended
}

/// What happens to a call.
package enum ClientCallEvent: Sendable, Hashable, CaseIterable {
    /// The client's reply came.
    case replied
    /// The time that it was given is over.
    case timePassed
    /// The caller does not want to know any more.
    case withdrawn
    /// The channel has ended, and the client perhaps with it.
    case channelClosed
}

/// What is done when a call's state changes.
package enum ClientCallAction: Sendable, Hashable {
    /// Tells the caller that the reply is there.
    case tellReply
    /// Tells the caller that no reply came in time.
    case tellLate
    /// Tells the caller that no reply will come.
    case tellGone
    /// Tells the client that its answer is not waited for.
    case sendCancel
}

extension ClientCallState {
    /// The next state and what to do, in order; `nil` if the event means nothing here.
    package func transition(on event: ClientCallEvent) -> (
        next: ClientCallState, actions: [ClientCallAction]
    )? {
        switch (self, event) {
        case (.waiting, .replied): (.ended, [.tellReply])
        case (.waiting, .timePassed): (.givenUp, [.tellLate, .sendCancel])
        case (.waiting, .withdrawn): (.givenUp, [.sendCancel])
        case (.waiting, .channelClosed): (.ended, [.tellGone])
        case (.givenUp, .replied), (.givenUp, .channelClosed): (.ended, [])
        case (.givenUp, .timePassed), (.givenUp, .withdrawn): nil
        case (.ended, .replied), (.ended, .timePassed), (.ended, .withdrawn), (.ended, .channelClosed): nil
        }
    }
}
