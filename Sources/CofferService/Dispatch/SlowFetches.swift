import CofferCoordination
import CofferLinux
import CofferModel
import CofferWire
import Logging
import Synchronization

/// Logs fetches that took long, with their SQL and SQLite's plan, never with values.
///
/// Shared; an administrator may change the threshold while the service runs.
final class SlowFetches: Sendable {
    private let nanoseconds: Atomic<UInt64>
    private let logger: Logger

    /// Logs what takes `threshold` or more; nothing if it is zero.
    init(threshold: Duration, logger: Logger) {
        nanoseconds = Atomic(threshold.wholeNanoseconds)
        self.logger = logger
    }

    /// What is logged: fetches of so many milliseconds or more; 0: none.
    var thresholdMilliseconds: UInt32 {
        get { UInt32(clamping: nanoseconds.load(ordering: .relaxed) / 1_000_000) }
        set { nanoseconds.store(UInt64(newValue) * 1_000_000, ordering: .relaxed) }
    }

    /// Logs a fetch that ended now, if it took long since `begin`.
    func note(
        _ request: FetchRequestMessage, rows: UInt64, since begin: UInt64, in store: ServedStore,
        by session: Session
    ) {
        let threshold = nanoseconds.load(ordering: .relaxed)
        guard threshold > 0 else { return }
        let taken = Monotonic.now - begin
        guard taken >= threshold else { return }
        // It was compiled before: if that fails now, the store is about to close.
        let explained = try? store.persistentStore.explain(request.fetch)
        logger.notice(
            "A fetch was slow",
            metadata: [
                "store": "\(store.key)", "client": "\(session.id)",
                "application": "\(session.caller.application)", "entity": "\(request.fetch.entityName)",
                "fetch.label": "\(request.label)",
                "fetch.milliseconds": "\(taken / 1_000_000)", "fetch.rows": "\(rows)",
                "fetch.sql": "\(explained?.sql ?? "")",
                "fetch.plan": "\(explained?.plan.joined(separator: "; ") ?? "")",
            ])
    }
}
