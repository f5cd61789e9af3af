/// How far a store's feed has come in this process.
///
/// The service announces a transaction by number, and says with each push what the client had before it; what
/// does not concern the client it does not announce. A save of the client's own is announced by its reply
/// alone.
struct FeedPosition: Sendable, Equatable {
    /// Everything up to this number was told.
    private(set) var known: UInt64
    /// Runs of own saves above `known`, which were told too, in order.
    private var own: [ClosedRange<UInt64>] = []
    /// Whether something before what was told last may be missing, since history was asked for it in vain.
    private(set) var isBehind = false

    init(known: UInt64) { self.known = known }

    /// The greatest number that was told.
    var latest: UInt64 { max(known, own.last?.upperBound ?? 0) }

    /// Whether transactions may be missing between what is known and what a push continues.
    func hasGap(before previous: UInt64) -> Bool {
        // Frames come in order: with the reply of an own save, everything before it has come.
        isBehind || previous > latest
    }

    /// History is being asked for what may be missing.
    mutating func beginCatchingUp() { isBehind = true }

    /// All that may have been missing was told.
    mutating func endCatchingUp() { isBehind = false }

    /// Notes an own save; `false` if its transaction was told already.
    mutating func noteOwn(_ number: UInt64) -> Bool {
        if isTold(number) { return false }
        if let last = own.last, last.upperBound &+ 1 == number {
            own[own.count - 1] = last.lowerBound...number
        } else if own.last.map({ $0.upperBound < number }) ?? true {
            own.append(number...number)
        } else {
            own.append(number...number)
            own.sort { $0.lowerBound < $1.lowerBound }
        }
        if own.count > Limits.ownRuns { known = own[0].upperBound }
        absorb()
        return true
    }

    /// Notes a transaction of a push or of history; `false` if it was told already.
    mutating func note(_ number: UInt64) -> Bool {
        let isNew = !isTold(number)
        advance(to: number)
        return isNew
    }

    /// Everything up to `number` was told, or is not worth telling.
    mutating func advance(to number: UInt64) {
        known = max(known, number)
        absorb()
    }

    /// Begins again at `number`, which may lie before what was known of another store; nothing is missing
    /// then.
    mutating func restart(at number: UInt64) { self = FeedPosition(known: number) }

    private func isTold(_ number: UInt64) -> Bool {
        guard number > known, let last = own.last else { return number <= known }
        // Mostly it is greater than all that was told.
        return number <= last.upperBound && own.contains { $0.contains(number) }
    }

    private mutating func absorb() {
        while let first = own.first, first.lowerBound <= known &+ 1 {
            known = max(known, first.upperBound)
            own.removeFirst()
        }
    }
}
