/// The state of the service between its start and its end.
///
/// The order at the end is the one that loses no call: give the name back, serve until the bus says that it
/// is gone, then exit. Source: the idle loop of systemd's bus services.
package enum LifecycleState: Sendable, Hashable, CaseIterable {
    /// The service is in use.
    case serving
    /// The service is not in use, and the time runs.
    case idle
    /// The name is being given back; the service was not in use when that began.
    case releasing
    /// The name is being given back, and a client came meanwhile.
    case releasingBusy
    /// The name is gone, and the service is in use: it asks for the name again.
    case reclaiming
    /// No more calls are read; what was begun is finished.
    case stopping
}

/// What happens to the service.
package enum LifecycleEvent: Sendable, Hashable, CaseIterable {
    /// The last user left.
    case becameIdle
    /// The first user came.
    case becameBusy
    /// The idle time is over.
    case timeout
    /// The bus says that we do not own the name: we gave it back, or it was taken away.
    case nameReleased
    /// The name is ours.
    case nameAcquired
    /// Another process has the name.
    case nameTaken
    /// A signal asks to end, or the bus is gone.
    case terminate
}

/// What the service does when its state changes.
package enum LifecycleAction: Sendable, Hashable {
    case startTimer
    case stopTimer
    case announceStopping
    case releaseName
    case requestName
    case stop
}

extension LifecycleState {
    /// The next state and what to do, in order; `nil` if the event means nothing here.
    ///
    /// With `endsWithName` a service manager ends the process once its name is gone (systemd's `Type=dbus`
    /// sends SIGTERM at once). Then the name is not asked for again for clients that came in between: it
    /// would be taken and lost within a moment, and calls that came to it meanwhile be lost with it. All that
    /// reached the service is answered, clients connect again, and the bus starts the next.
    package func transition(
        on event: LifecycleEvent, endsWithName: Bool = false
    ) -> (next: LifecycleState, actions: [LifecycleAction])? {
        switch (self, event) {
        case (.serving, .becameIdle): (.idle, [.startTimer])
        case (.idle, .becameBusy): (.serving, [.stopTimer])
        case (.idle, .timeout): (.releasing, [.announceStopping, .releaseName])
        case (.releasing, .becameBusy): (.releasingBusy, [])
        case (.releasingBusy, .becameIdle): (.releasing, [])
        case (.releasing, .nameReleased): (.stopping, [.stop])
        case (.releasingBusy, .nameReleased):
            endsWithName ? (.stopping, [.stop]) : (.reclaiming, [.requestName])
        case (.reclaiming, .nameAcquired): (.serving, [])
        case (.serving, .nameReleased), (.idle, .nameReleased), (.serving, .nameTaken), (.idle, .nameTaken),
            (.releasing, .nameTaken), (.releasingBusy, .nameTaken), (.reclaiming, .nameTaken):
            // The other one needs the files; clients that are cut off find it by the name.
            (.stopping, [.stop])
        case (.serving, .terminate), (.idle, .terminate), (.releasing, .terminate),
            (.releasingBusy, .terminate),
            (.reclaiming, .terminate):
            (.stopping, [.announceStopping, .releaseName, .stop])
        case (.serving, .becameBusy), (.serving, .timeout), (.serving, .nameAcquired),
            (.idle, .becameIdle), (.idle, .nameAcquired),
            (.releasing, .becameIdle), (.releasing, .timeout), (.releasing, .nameAcquired),
            (.releasingBusy, .becameBusy), (.releasingBusy, .timeout), (.releasingBusy, .nameAcquired),
            (.reclaiming, .becameIdle), (.reclaiming, .becameBusy), (.reclaiming, .timeout),
            (.reclaiming, .nameReleased),
            (.stopping, _):
            nil
        }
    }
}
