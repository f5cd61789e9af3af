import CofferStores
import CofferWire
import Synchronization

/// A call that met an exchange of its store's file, and is answered at the end of that: its client was told
/// by then what has become of the store.
///
/// Shared; answered once, before that if its time is over or its client takes it back.
final class ParkedCall: Sendable {
    private let service: ServiceCore
    private let address: ReplyAddress
    private let call: DetachedCall
    private let isAnswered = Atomic<Bool>(false)
    private let deadline = Mutex<UInt64?>(nil)

    /// The call that `context` is of, for the owner of its channel.
    init(_ context: CallContext) {
        (service, address) = (context.service, context.address)
        call = context.interest.detached()
    }

    /// Has it answered with `error` at the end of an exchange.
    ///
    /// - Returns: Whether it waits; not if the exchange is over.
    func waits(forExchangeOf key: StoreKey, _ error: ServiceError) -> Bool {
        guard service.stores.whenExchanged(key, { self.answer(error) }) else {
            call.end()
            return false
        }
        call.interest.whenTakenBack { [weak self] in self?.answer(.store(.interrupted)) }
        if let time = call.interest.timeLeft {
            let number = service.deadlines.add(after: time) { self.answer(.late) }
            deadline.withLock { $0 = number }
            // Or it was answered before the time was noted.
            if isAnswered.load(ordering: .sequentiallyConsistent) { service.deadlines.remove(number) }
        }
        return true
    }

    private func answer(_ error: ServiceError) {
        if isAnswered.exchange(true, ordering: .sequentiallyConsistent) { return }
        call.end()
        if let number = deadline.withLock({ $0 }) { service.deadlines.remove(number) }
        address.send(service.failure(of: error))
    }
}

extension ChannelMethod {
    /// Whether a call waits for the end of an exchange that it meets.
    ///
    /// Clients do not wait for the answers of some, and ask for history from the thread that has to hear of
    /// exchanges.
    var waitsForExchanges: Bool { self != .release && self != .closeStore && self != .history }
}
