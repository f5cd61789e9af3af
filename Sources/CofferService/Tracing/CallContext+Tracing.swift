import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import FoundationEssentials

/// What the followers of the service are told of calls.
extension CallContext {
    /// Tells of a fetch that is over.
    func trace(_ request: FetchRequestMessage, rows: UInt64, since begin: UInt64, _ store: ServedStore) {
        guard begin != 0, service.trace.isTracing else { return }
        service.trace.emit([
            span(
                "fetch", since: begin, in: store, label: request.label,
                arguments: [
                    ("entity", .text(request.fetch.entityName)), ("rows", .number(Int64(clamping: rows))),
                ])
        ])
    }

    /// Tells of faults that were fired, and of rows that the cache lacked.
    func trace(
        _ name: String, of entity: EntityDescription, count: Int, misses: Int = 0, since begin: UInt64,
        _ store: ServedStore
    ) {
        guard begin != 0, service.trace.isTracing else { return }
        var events = [
            span(
                name, since: begin, in: store,
                arguments: [("entity", .text(entity.name)), ("rows", .number(Int64(count)))])
        ]
        if misses > 0 {
            events.append(
                TraceEvent(
                    "cache miss", category: "service", .instant, begin: begin + 1,
                    arguments: [("entity", .text(entity.name)), ("rows", .number(Int64(misses)))]))
        }
        service.trace.emit(events)
    }

    /// Tells of a save that is answered; on a row of its client, since saves of several share a thread and a
    /// commit.
    func trace(_ request: SaveRequestMessage, result: SaveTrace, since begin: UInt64, in store: ServedStore) {
        guard begin != 0, service.trace.isTracing else { return }
        let row = Int32(truncatingIfNeeded: 1_000_000 + session.id)
        let label = request.contextName.isEmpty ? request.author : request.contextName
        var event = span(
            "save", since: begin, in: store, label: label,
            arguments: [
                ("rows", .number(Int64(request.inserts.reduce(0) { $0 + $1.temporaryIDs.count }))),
                ("transaction", .number(Int64(clamping: result.number ?? 0))),
            ])
        event.row = row
        var events = [
            TraceEvent(
                "thread_name", category: "", .name, row: row,
                arguments: [("name", .text("saves of \(session.caller.processName)"))]), event,
        ]
        if let number = result.number {
            let id = TraceEvent.flow(ofTransaction: number, store: store.persistentStore.uuid.uuidString)
            events.append(
                TraceEvent(
                    "transaction", category: "coffer", .flow(.step, id: id), begin: begin + 1, row: row))
        }
        service.trace.emit(events)
    }

    private func span(
        _ name: String, since begin: UInt64, in store: ServedStore, label: String = "",
        arguments: [(key: String, value: TraceEvent.Argument)]
    ) -> TraceEvent {
        let caller = session.caller
        return .span(
            name, category: "service", since: begin,
            [
                ("label", .text(label.isEmpty ? caller.processName : label)),
                ("store", .text(store.key.name)),
                ("client", .number(Int64(clamping: session.id))), ("process", .text(caller.processName)),
            ] + arguments)
    }
}

/// What a trace says of a save's end.
struct SaveTrace {
    /// The transaction; `nil` if nothing was written.
    let number: UInt64?

    init(_ result: SaveResult) {
        if case .success(let execution) = result {
            number = execution.transaction?.number
        } else {
            number = nil
        }
    }
}
