/// What receives frames that come over a channel while no thread waits for a reply.
///
/// To take a socket out of the idle reader's sight and put it back costs two system calls, a tenth of a
/// quick call. So if the next call is expected at once, the socket stays out of sight, and a push waits no
/// longer than until a timer runs out.
package enum IdleWatch: Equatable, Sendable {
    /// The idle reader does.
    case armed
    /// Callers are inside, and read; the timer may still run.
    case calling(timerRuns: Bool)
    /// Nothing at this moment: the timer runs.
    case expecting
}

extension IdleWatch {
    /// What happens to a channel.
    package enum Event: Equatable, Sendable {
        /// A thread calls.
        case callBegan
        /// `isBurst` if the next call is expected at once.
        case callsEnded(isBurst: Bool)
        /// The timer has run out.
        case timePassed
    }

    /// What the owner of the channel is to do.
    package enum Action: Equatable, Sendable {
        /// Put the socket into the idle reader's sight.
        case arm
        /// Take it out of that.
        case disarm
        /// Let the timer run.
        case startTimer
    }

    /// Whether the idle reader hears what comes.
    var isArmed: Bool { self == .armed }

    /// Takes `event` in; what is to be done.
    mutating func take(_ event: Event) -> Action? {
        let (next, action) = transition(on: event)
        self = next
        return action
    }

    /// The next state, and what is to be done.
    package func transition(on event: Event) -> (next: IdleWatch, action: Action?) {
        switch (self, event) {
        case (.armed, .callBegan): (.calling(timerRuns: false), .disarm)
        case (.expecting, .callBegan): (.calling(timerRuns: true), nil)
        case (.calling(timerRuns: true), .callsEnded(isBurst: true)): (.expecting, nil)
        case (.calling(timerRuns: false), .callsEnded(isBurst: true)): (.expecting, .startTimer)
        // A timer that runs finds the socket watched, and does nothing.
        case (.calling, .callsEnded(isBurst: false)): (.armed, .arm)
        case (.calling, .timePassed): (.calling(timerRuns: false), nil)
        case (.expecting, .timePassed): (.armed, .arm)
        case (.armed, .callsEnded), (.armed, .timePassed), (.calling, .callBegan), (.expecting, .callsEnded):
            (self, nil)
        }
    }
}
