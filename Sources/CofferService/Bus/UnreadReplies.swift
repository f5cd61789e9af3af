import CofferLinux

/// The large answers to one caller over the bus of which nothing shows that it has read them.
///
/// They lie in the bus, which stops reading from a service if too much of it lies there, whichever caller
/// the answers are for. So only a few are given to the bus, and others wait here: until the caller answers
/// a ping that was sent behind them, or makes a call while none of its calls waits.
package struct UnreadReplies<Reply: Sendable>: Sendable {
    /// Answers that were given to the bus before the caller was last asked, and since.
    private var (sentBefore, sentSince) = (0, 0)
    private var isAsking = false
    private var held: FIFO<Reply> = []

    /// Nothing was answered yet.
    package init() {}

    /// How many wait.
    package var heldCount: Int { held.count }

    /// Whether another one can be given to the bus; it is counted then.
    package mutating func takes() -> Bool {
        guard held.isEmpty, sentBefore + sentSince < Limits.unreadBusReplies else { return false }
        sentSince += 1
        return true
    }

    /// Lets an answer wait.
    package mutating func hold(_ reply: Reply) { held.append(reply) }

    /// Whether the caller is to be asked now.
    package mutating func beginAsking() -> Bool {
        guard !isAsking, sentSince > 0 else { return false }
        isAsking = true
        (sentBefore, sentSince) = (sentBefore + sentSince, 0)
        return true
    }

    /// What can be given to the bus, once the caller has answered, or has let the time pass.
    package mutating func endAsking(hasAnswered: Bool) -> [Reply] {
        isAsking = false
        if hasAnswered { sentBefore = 0 }
        return takeHeld()
    }

    /// The caller makes a call, and waits for no other: it has the answers to those before.
    package mutating func noteCall() {
        if held.isEmpty { (sentBefore, sentSince) = (0, 0) }
    }

    /// Takes out all that wait, of a caller that is gone.
    package mutating func takeAll() -> [Reply] {
        var all: [Reply] = []
        while let next = held.popFirst() { all.append(next) }
        return all
    }

    private mutating func takeHeld() -> [Reply] {
        var ready: [Reply] = []
        while sentBefore + sentSince < Limits.unreadBusReplies, let next = held.popFirst() {
            sentSince += 1
            ready.append(next)
        }
        return ready
    }
}

/// A large answer that waits for others to be read.
struct HeldReply: Sendable {
    let call: BusCall
    let payload: [UInt8]
    let descriptors: [OwnedDescriptor]
}
