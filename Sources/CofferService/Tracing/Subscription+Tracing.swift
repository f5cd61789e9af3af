import CofferCoordination
import CofferLinux
import CofferWire
import FoundationEssentials

extension ServedStore {
    /// Tells the followers of the service that a client is sent a transaction, or that its queue is full.
    func tracePush(_ number: UInt64, to session: UInt64, isDropped: Bool) {
        guard trace.isTracing else { return }
        let begin = Monotonic.now
        let id = TraceEvent.flow(ofTransaction: number, store: persistentStore.uuid.uuidString)
        trace.emit([
            TraceEvent(
                "push", category: "service", .span(nanoseconds: 1_000), begin: begin,
                arguments: [
                    ("label", .text(key.name)), ("store", .text(key.name)),
                    ("client", .number(Int64(clamping: session))),
                    ("transaction", .number(Int64(clamping: number))), ("dropped", .flag(isDropped)),
                ]),
            TraceEvent("transaction", category: "coffer", .flow(.step, id: id), begin: begin + 500),
        ])
    }
}
