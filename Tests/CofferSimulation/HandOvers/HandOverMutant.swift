/// A step of a hand-over done wrong: a simulation that does not notice has not tested it.
package enum HandOverMutant: String, CaseIterable, Sendable {
    case freshIDs, lateSaves, unreadDebts, lostFallback, swapBeforeJoin, staleQuestion, everyLocal
    case hastyForgetting, lateGift, silentChange

    /// What is wrong, in a line.
    package var summary: String {
        switch self {
        case .freshIDs: "what served meanwhile is joined as new records"
        case .lateSaves: "who is late saves into what is served now"
        case .unreadDebts: "the file of a store that was removed goes before its container has all of it"
        case .lostFallback: "what served meanwhile is not joined into what was built"
        case .swapBeforeJoin: "what was built is served before what served meanwhile is joined"
        case .staleQuestion: "what clients were asked first is served, whichever account signed in since"
        case .everyLocal: "what no account owned is joined, whatever the application chose"
        case .hastyForgetting: "what is to be joined into a rebuilt store is forgotten before it is"
        case .lateGift: "what no account owned is given to an account once it is joined, and not before"
        case .silentChange: "clients are not told that their store has other content"
        }
    }
}
