import Coffer
import Testing

@Suite struct IdleWatchTests {
    /// What follows when an event comes in a state.
    private struct Pair {
        let state: IdleWatch
        let event: IdleWatch.Event
        let next: IdleWatch
        let action: IdleWatch.Action?

        init(_ state: IdleWatch, _ event: IdleWatch.Event, _ next: IdleWatch, _ action: IdleWatch.Action?) {
            (self.state, self.event, self.next, self.action) = (state, event, next, action)
        }
    }

    private static let states: [IdleWatch] = [
        .armed, .calling(timerRuns: false), .calling(timerRuns: true), .expecting,
    ]
    private static let events: [IdleWatch.Event] = [
        .callBegan, .callsEnded(isBurst: false), .callsEnded(isBurst: true), .timePassed,
    ]

    private static let table: [Pair] = [
        Pair(.armed, .callBegan, .calling(timerRuns: false), .disarm),
        Pair(.armed, .callsEnded(isBurst: false), .armed, nil),
        Pair(.armed, .callsEnded(isBurst: true), .armed, nil),
        Pair(.armed, .timePassed, .armed, nil),
        Pair(.calling(timerRuns: false), .callBegan, .calling(timerRuns: false), nil),
        Pair(.calling(timerRuns: false), .callsEnded(isBurst: false), .armed, .arm),
        Pair(.calling(timerRuns: false), .callsEnded(isBurst: true), .expecting, .startTimer),
        Pair(.calling(timerRuns: false), .timePassed, .calling(timerRuns: false), nil),
        Pair(.calling(timerRuns: true), .callBegan, .calling(timerRuns: true), nil),
        Pair(.calling(timerRuns: true), .callsEnded(isBurst: false), .armed, .arm),
        Pair(.calling(timerRuns: true), .callsEnded(isBurst: true), .expecting, nil),
        Pair(.calling(timerRuns: true), .timePassed, .calling(timerRuns: false), nil),
        Pair(.expecting, .callBegan, .calling(timerRuns: true), nil),
        Pair(.expecting, .callsEnded(isBurst: false), .expecting, nil),
        Pair(.expecting, .callsEnded(isBurst: true), .expecting, nil),
        Pair(.expecting, .timePassed, .armed, .arm),
    ]

    @Test func `every event in every state of an idle watch leads where the table says`() {
        for state in Self.states {
            for event in Self.events {
                let rows = Self.table.filter { $0.state == state && $0.event == event }
                #expect(rows.count == 1, "\(state), \(event)")
                guard let row = rows.first else { continue }
                let (next, action) = state.transition(on: event)
                #expect(next == row.next && action == row.action, "\(state), \(event): \(next)")
            }
        }
        #expect(Self.table.count == Self.states.count * Self.events.count)
    }

    @Test func `whatever happens, a socket is armed exactly while the watch says so, and never left alone`() {
        /// The socket and the timer, as their owner has them.
        struct World: Hashable {
            var place = 0
            var isArmed = true
            var timerRuns = false
        }
        var seen: Set<World> = [World()]
        var waiting = [World()]
        while let world = waiting.popLast() {
            let state = Self.states[world.place]
            for event in Self.events where event != .timePassed || world.timerRuns {
                var (world, (next, action)) = (world, state.transition(on: event))
                if event == .timePassed { world.timerRuns = false }
                switch action {
                case .arm: world.isArmed = true
                case .disarm: world.isArmed = false
                case .startTimer: world.timerRuns = true
                case nil: break
                }
                world.place = Self.states.firstIndex(of: next) ?? -1
                #expect(world.isArmed == (next == .armed), "\(state), \(event)")
                #expect(next != .expecting || world.timerRuns, "nobody would hear what comes after \(event)")
                if seen.insert(world).inserted { waiting.append(world) }
            }
        }
        #expect(Set(seen.map(\.place)) == Set(Self.states.indices), "every state is reached")
    }
}
