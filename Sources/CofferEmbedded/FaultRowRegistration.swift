import Coffer
import CofferCoordination
import CofferWire

/// Keeps the rows of faults in a store's cache, so that only their keys need be given out.
struct FaultRowRegistration {
    let holder: RowHolder
    let ticket: RowCache.Ticket
}

extension FaultRowRegistration? {
    /// What is given out of an answer.
    func kept(_ reply: FetchReplyMessage) throws(CofferError) -> FetchReplyMessage {
        guard let self else { return reply }
        if let rows = reply.rows { self.holder.hold(rows, readAt: reply.number, self.ticket) }
        do throws(WireError) { return try reply.withoutValues() } catch { throw CofferError(error) }
    }
}
