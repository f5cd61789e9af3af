import CofferService
import Testing

@Suite struct ClientCallTests {
    /// The whole table: what is not listed means nothing in that state.
    private static let table: [ClientCallState: [ClientCallEvent: (ClientCallState, [ClientCallAction])]] = [
        .waiting: [
            .replied: (.ended, [.tellReply]), .timePassed: (.givenUp, [.tellLate, .sendCancel]),
            .withdrawn: (.givenUp, [.sendCancel]), .channelClosed: (.ended, [.tellGone]),
        ],
        .givenUp: [.replied: (.ended, []), .channelClosed: (.ended, [])],
        .ended: [:],
    ]

    @Test(arguments: ClientCallState.allCases, ClientCallEvent.allCases)
    func `each event in each state leads where the table says`(state: ClientCallState, event: ClientCallEvent)
    {
        let expected = Self.table[state]?[event]
        let found = state.transition(on: event)
        #expect(found?.next == expected?.0)
        #expect(found?.actions == expected?.1)
    }

    @Test func `whoever asks is told once, unless it withdraws, in every order of events`() {
        let told: Set<ClientCallAction> = [.tellReply, .tellLate, .tellGone]
        for first in ClientCallEvent.allCases {
            for second in ClientCallEvent.allCases {
                for third in ClientCallEvent.allCases {
                    var state = ClientCallState.waiting
                    var count = 0
                    for event in [first, second, third] {
                        guard let (next, actions) = state.transition(on: event) else { continue }
                        state = next
                        count += actions.count { told.contains($0) }
                    }
                    #expect(count == (first == .withdrawn ? 0 : 1), "\(first) \(second) \(third)")
                }
            }
        }
    }
}
