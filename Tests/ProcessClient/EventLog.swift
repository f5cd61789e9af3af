import Coffer
import CofferLinux
import CofferWire

/// Everything that a coordinator told, in order.
///
/// Shared.
final class EventLog: CoordinatorObserver {
    /// What was told, without its content.
    struct Event: Sendable {
        let name: String
        let number: UInt64?

        /// Whether everything up to a transaction is known with this event.
        func reaches(_ number: UInt64) -> Bool { self.number.map { $0 >= number } ?? false }
    }

    private let events = ConditionLock<[Event]>([])

    /// What came so far.
    var all: [Event] { events.withLock { $0 } }

    func coordinator(_ coordinator: any PersistentStoreCoordinator, didReport event: CoordinatorEvent) {
        let event: Event =
            switch event {
            case .transaction(let transaction, _, _):
                Event(name: "transaction:\(transaction.number)", number: transaction.number)
            case .reload(_, let number): Event(name: "reload:\(number)", number: number)
            case .bookmark(_, let number): Event(name: "bookmark:\(number)", number: nil)
            case .disconnected: Event(name: "disconnected", number: nil)
            case .reconnected: Event(name: "reconnected", number: nil)
            case .storesWillChange: Event(name: "storesWillChange", number: nil)
            case .storesDidChange: Event(name: "storesDidChange", number: nil)
            case .storeDidReturn: Event(name: "storeDidReturn", number: nil)
            }
        events.withLock { $0.append(event) }
        events.broadcast()
    }

    /// Whether it came to `isEnough` in time.
    func wait(timeout: Duration, until isEnough: ([Event]) -> Bool) -> Bool {
        events.wait(timeout: timeout) { isEnough($0) ? true : nil } ?? false
    }
}
