/// What happens to the stores of an application on one or two machines whose users sign in and out.
///
/// Each step has a number of its own from which its choices follow, so that a step left out leaves the others
/// as they are.
package struct HandOverSchedule: Sendable {
    /// How many machines there are.
    let machines: Int
    /// How many accounts a user may sign in to.
    let accounts: Int
    /// How many clients each machine has.
    let clients: Int
    /// How many logs of another peer each account's container holds at first.
    let foreignLogs: [Int]
    /// Whether applications mostly want content of no account moved to the account that is signed in.
    let isMerging: Bool
    /// How much services do at most between two steps of others.
    let pace: Int
    /// The steps.
    package var events: [Event] = []

    /// One step.
    package struct Event: Sendable {
        /// Its place in the schedule as it was drawn: what it inserts is named by it.
        let place: Int
        let machine: Int
        let kind: Kind
        let seed: UInt64
    }

    /// What happens.
    enum Kind: Sendable {
        case signIn, signOut
        /// A client opens the store, and may say what becomes of content of no account.
        case open
        case edit
        case save
        /// A client that was asked saves or does not, and lets go what it has.
        case answer
        /// No client is waited for any more.
        case deadline
        /// A client ends.
        case die
        /// The service does one thing that it has to do.
        case work
        /// The service goes on with one thing that takes long.
        case progress
        /// The service closes a store that no client has open.
        case close
        case away, there, emptied, replaced
        case rebuild
        /// The store is removed with its content, or only here.
        case removeContent, removeStore
        /// The service dies after so many more durable steps.
        case crash
        /// The service and all clients of a machine die.
        case powerFailure
        case wait
    }
}

extension HandOverSchedule {
    /// The schedule of a seed.
    package init(seed: UInt64) {
        var draw = Draw(seed ^ 0x48_4F)
        machines = draw.chance(60) ? 1 : 2
        accounts = draw.chance(70) ? 2 : 3
        clients = 1 + draw.below(3)
        foreignLogs = (0..<accounts).map { _ in draw.chance(50) ? 0 : 9 + draw.below(3) }
        isMerging = draw.chance(40)
        pace = 1 + draw.below(8)
        let (hasLosses, hasRemovals) = (draw.chance(30), draw.chance(30))
        let hasCrashes = draw.chance(75)
        for place in 0..<(40 + draw.below(60)) {
            let kind =
                place < clients
                ? Kind.open
                : Self.kind(hasLosses: hasLosses, hasRemovals: hasRemovals, hasCrashes: hasCrashes, &draw)
            events.append(
                Event(place: place, machine: draw.below(machines), kind: kind, seed: draw.next()))
        }
    }

    private static func kind(
        hasLosses: Bool, hasRemovals: Bool, hasCrashes: Bool, _ draw: inout Draw
    ) -> Kind {
        switch draw.below(100) {
        case 0..<8: return .signIn
        case 8..<12: return .signOut
        case 12..<18: return .open
        case 18..<27: return .edit
        case 27..<34: return .save
        case 34..<44: return .answer
        case 44..<47: return .deadline
        case 47..<49: return .die
        case 49..<64: return .work
        case 64..<85: return .progress
        case 85: return .close
        case 86: return .away
        case 87: return .there
        case 88: return .rebuild
        case 89: return .wait
        case 90: return hasLosses ? .emptied : .work
        case 91: return hasLosses ? .replaced : .progress
        case 92: return hasLosses && hasRemovals ? .removeContent : .answer
        case 93: return hasRemovals ? .removeStore : .work
        case 94..<99: return hasCrashes ? .crash : .progress
        default: return hasCrashes ? .powerFailure : .work
        }
    }
}
