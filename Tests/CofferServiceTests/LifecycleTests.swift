import CofferService
import Testing

@Suite struct LifecycleTests {
    /// The whole table: what is not listed means nothing in that state.
    private static let table: [LifecycleState: [LifecycleEvent: (LifecycleState, [LifecycleAction])]] = [
        .serving: [
            .becameIdle: (.idle, [.startTimer]), .nameTaken: (.stopping, [.stop]),
            .nameReleased: (.stopping, [.stop]),
            .terminate: (.stopping, [.announceStopping, .releaseName, .stop]),
        ],
        .idle: [
            .becameBusy: (.serving, [.stopTimer]), .timeout: (.releasing, [.announceStopping, .releaseName]),
            .nameTaken: (.stopping, [.stop]), .nameReleased: (.stopping, [.stop]),
            .terminate: (.stopping, [.announceStopping, .releaseName, .stop]),
        ],
        .releasing: [
            .becameBusy: (.releasingBusy, []), .nameReleased: (.stopping, [.stop]),
            .nameTaken: (.stopping, [.stop]),
            .terminate: (.stopping, [.announceStopping, .releaseName, .stop]),
        ],
        .releasingBusy: [
            .becameIdle: (.releasing, []), .nameReleased: (.reclaiming, [.requestName]),
            .nameTaken: (.stopping, [.stop]),
            .terminate: (.stopping, [.announceStopping, .releaseName, .stop]),
        ],
        .reclaiming: [
            .nameAcquired: (.serving, []), .nameTaken: (.stopping, [.stop]),
            .terminate: (.stopping, [.announceStopping, .releaseName, .stop]),
        ],
        .stopping: [:],
    ]

    @Test(arguments: LifecycleState.allCases, LifecycleEvent.allCases)
    func `each event in each state leads where the table says`(state: LifecycleState, event: LifecycleEvent) {
        let expected = Self.table[state]?[event]
        let found = state.transition(on: event)
        #expect(found?.next == expected?.0)
        #expect(found?.actions == expected?.1)
    }

    @Test(arguments: LifecycleState.allCases, LifecycleEvent.allCases)
    func `a service that ends with its name differs in one thing: it does not ask for it again`(
        state: LifecycleState, event: LifecycleEvent
    ) {
        let found = state.transition(on: event, endsWithName: true)
        let isAsked = state == .releasingBusy && event == .nameReleased
        let expected = isAsked ? (.stopping, [.stop]) : Self.table[state]?[event]
        #expect(found?.next == expected?.0)
        #expect(found?.actions == expected?.1)
    }
}
