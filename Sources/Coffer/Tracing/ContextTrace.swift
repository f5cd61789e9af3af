internal import CofferLinux
internal import CofferModel
internal import CofferWire
internal import FoundationEssentials
internal import Logging

/// Where contexts of this process tell what they do: the file that `COFFER_TRACE` names.
///
/// What Core Data's four instruments show is told: fetches, saves, faults with the rows that they ask the
/// store for, and merges of what others saved. An event names entities, counts and labels; never values.
/// Without the variable nothing is told, and a context that asks a store looks at one constant.
enum ContextTrace {
    /// `nil` if nothing is told.
    static let sink: TraceSink? = {
        guard let path = CurrentProcess.environment["COFFER_TRACE"], !path.isEmpty else { return nil }
        do throws(LinuxError) {
            let sink = try TraceSink.file(path)
            sink.name(process: ProcessName.own)
            return sink
        } catch {
            Logger(label: "coffer").warning(
                "The trace cannot be written", metadata: ["file": "\(path)", "error": "\(error)"])
            return nil
        }
    }()

    /// When something that may be told begins; 0 if nothing is told.
    static var beginning: UInt64 { sink == nil ? 0 : Monotonic.now }
}

extension ManagedObjectContext {
    /// Tells of something that began at `begin` and is over.
    func trace(
        _ name: String, since begin: UInt64, label: String? = nil, entity: String? = nil, rows: Int? = nil
    ) {
        guard begin != 0, let sink = ContextTrace.sink else { return }
        sink.write([span(name, since: begin, label: label, entity: entity, rows: rows)])
    }

    /// Tells of a save, with which the flow of its transaction begins.
    func traceSave(of number: UInt64, since begin: UInt64, store: Int16) {
        if begin != 0 { trace("save", since: begin, transaction: number, store: store, step: .start) }
    }

    /// Tells of a merge, with which the flow of a transaction ends.
    func traceMerge(of number: UInt64, since begin: UInt64, store: Int16) {
        if begin != 0 { trace("merge", since: begin, transaction: number, store: store, step: .end) }
    }

    private func trace(
        _ name: String, since begin: UInt64, transaction number: UInt64, store: Int16,
        step: TraceEvent.Step
    ) {
        guard let sink = ContextTrace.sink else { return }
        var event = span(name, since: begin, label: nil, entity: nil, rows: nil)
        event.arguments.append(("transaction", .number(Int64(clamping: number))))
        let id = TraceEvent.flow(
            ofTransaction: number, store: registry.stores[Int(store)].uuid.uuidString)
        sink.write([
            event, TraceEvent("transaction", category: "coffer", .flow(step, id: id), begin: begin + 1),
        ])
    }

    private func span(
        _ name: String, since begin: UInt64, label: String?, entity: String?, rows: Int?
    ) -> TraceEvent {
        var arguments: [(key: String, value: TraceEvent.Argument)] = [("label", .text(traceLabel(label)))]
        if let entity { arguments.append(("entity", .text(entity))) }
        if let rows { arguments.append(("rows", .number(Int64(rows)))) }
        return .span(name, category: "client", since: begin, arguments)
    }

    /// What stands for the place in the application: the request's label, else what the context or its user
    /// is called.
    private func traceLabel(_ label: String?) -> String {
        for text in [label ?? "", name, transactionAuthor] where !text.isEmpty { return text }
        return ProcessName.own
    }
}
