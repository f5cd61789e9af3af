package import CofferContainer
package import CofferCoordination
internal import CofferLinux
internal import CofferMerge
internal import CofferSQLite
internal import CofferStores
internal import CofferWire
internal import Synchronization

/// The work of one store's thread: folds what was saved, and exchanges with the container.
///
/// Shared by that thread and the leader of a commit, for which it waits.
package final class UbiquityWork: ExchangeReplica, Sendable {
    private let store: PersistentStore
    private let carrier: any ContainerCarrier
    private let environment: UbiquitousStore.Environment
    private let signals: UbiquitySignals
    /// What is known of the container; `nil` before it was looked at.
    private let visit = Mutex<ContainerVisit?>(nil)
    /// The registers between two transactions; `nil` where they are to be read from the file.
    private let kept = Mutex<KeptReplica?>(nil)

    package init(
        _ store: PersistentStore, over carrier: any ContainerCarrier,
        in environment: UbiquitousStore.Environment, _ signals: UbiquitySignals
    ) {
        (self.store, self.carrier) = (store, carrier)
        (self.environment, self.signals) = (environment, signals)
    }

    /// Does all that is to be done now.
    package func run() {
        signals.isWorking.withLock { $0 = true }
        defer {
            signals.isWorking.withLock { $0 = false }
            signals.isWorking.broadcast()
        }
        // Only now: whoever ends the work waits from then on.
        if signals.isOver { return }
        waitForQuiet()
        var failure: String?
        do {
            try fold()
            try exchangeWithContainer()
        } catch {
            failure = "\(error)"
            environment.report(.failed("\(error)"))
        }
        showStatus(failure)
    }

    /// Lets saves that follow each other closely become one fold.
    private func waitForQuiet() {
        while let saves = signals.saves.withLock({ $0 }), !signals.isOver {
            let now = Monotonic.now
            let end = min(
                saves.last + environment.quiet.wholeNanoseconds,
                saves.first + environment.longestWait.wholeNanoseconds)
            if now >= end { return }
            _ = signals.isWorking.wait(timeout: .nanoseconds(end - now)) { _ -> Bool? in nil }
        }
    }

    /// Folds what was saved, where anything was.
    private func fold() throws(StoreError) {
        signals.saves.withLock { $0 = nil }
        let (folded, isMigrated) = try read { ($0.folded, $0.isMigrated) }
        if store.number == folded, folded > 0, !isMigrated { return }
        _ = try change { kept, writer, origin, now throws(StoreError) in
            try kept.pass(joining: nil, on: writer, by: origin, at: now)
        }
    }

    private func exchangeWithContainer() throws {
        var visit = try self.visit.withLock { $0 } ?? ContainerVisit(readMemory())
        let (former, memory) = (visit.condition, visit.memory)
        let actions = visit.look(carrier, as: try read { $0.exchange.peer }, at: environment.now())
        self.visit.withLock { [visit] in $0 = visit }
        if visit.memory != memory { try keep(visit.memory) }
        if visit.condition != former { environment.report(.condition(visit.condition)) }
        guard actions.contains(.exchange), !signals.isOver else { return }
        let peer = try read { $0.exchange.peer }
        let condition = visit.condition
        do {
            let outcome = try ExchangeRunner(carrier).run(self, now: environment.now)
            let event = outcome.refusal.flatMap { ContainerEvent($0) } ?? .accepted
            visit.take(event, at: environment.now())
        } catch let error as CarrierError {
            visit.take(ContainerEvent(error) ?? .unreachable, at: environment.now())
        }
        if visit.condition != condition { environment.report(.condition(visit.condition)) }
        self.visit.withLock { [visit] in $0 = visit }
        let present = try read { $0.exchange.peer }
        if present != peer { environment.report(.peerChanged(present)) }
    }
}

// MARK: The state that the exchange keeps in step

extension UbiquityWork {
    package var exchange: Exchange {
        // It was read before the round began.
        kept.withLock { $0?.exchange } ?? Exchange(.random())
    }

    package func keep(_ exchange: Exchange) throws {
        let isChanged = kept.withLock { kept in
            kept?.exchange = exchange
            return kept?.isExchangeChanged ?? true
        }
        if !isChanged { return }
        _ = try change { kept, writer, origin, _ throws(StoreError) in
            kept.exchange = exchange
            try kept.keep([], on: writer.connection)
            return try writer.execute(SaveRequestMessage(store: 0, request: .unrepeated), by: origin)
        }
    }

    package func join(_ taking: ExchangeTaking, keeping exchange: Exchange) throws -> Exchange {
        let execution = try change { kept, writer, origin, now throws(StoreError) in
            kept.exchange = exchange
            return try kept.pass(joining: taking, on: writer, by: origin, at: now)
        }
        if let transaction = execution.transaction {
            let count = transaction.changes.reduce(0) { $0 + $1.primaryKeys.count }
            environment.report(.imported(objectCount: count))
        }
        return self.exchange
    }

    package func wholeState(burying burialTime: WallTime) throws -> WholeState {
        try read { kept in
            WholeState(
                registers: kept.replica.state.registers, digest: kept.digest, modelID: kept.modelID)
        }
    }
}

extension UbiquityWork {
    /// Looks at the registers between two transactions.
    private func read<Result: Sendable>(
        _ body: @Sendable (KeptReplica) -> Result
    ) throws(StoreError) -> Result {
        if let result = kept.withLock({ $0.map(body) }) { return result }
        let connection = try store.file.makeReader()
        let made = try KeptReplica(reading: connection, of: store.file, rules: environment.rules)
        return kept.withLock { kept in
            let result = body(made)
            kept = made
            return result
        }
    }

    /// Changes the registers and the file in one transaction.
    ///
    /// Where it is rolled back, and `body` called again, the registers are read from the file anew.
    private func change(
        _ body:
            @escaping @Sendable (
                inout KeptReplica, StoreWriter, SaveOrigin, WallTime
            ) throws(StoreError) -> SaveExecution
    ) throws(StoreError) -> SaveExecution {
        let present = Handover(kept.withLock { $0.take() })
        let changed = Handover()
        let (environment, file) = (environment, store.file)
        let now = environment.now()
        let origin = SaveOrigin(
            application: "", process: "cofferd", timestamp: Double(now.microseconds) / 1e6 - 978_307_200,
            origin: .import)
        let execution = try store.save(by: origin) { writer throws(StoreError) in
            var replica: KeptReplica
            if let known = present.take() {
                replica = known
            } else {
                replica = try KeptReplica(reading: writer.connection, of: file, rules: environment.rules)
            }
            var execution: SaveExecution?
            try writer.withSavepoint { () throws(StoreError) in
                execution = try body(&replica, writer, origin, now)
                return true
            }
            guard let execution else { throw .interrupted }
            changed.put(replica)
            return execution
        }
        let result = changed.take()
        kept.withLock { $0 = result }
        return execution
    }

    /// What one thread leaves for another.
    private final class Handover: Sendable {
        private let content: Mutex<KeptReplica?>

        init(_ content: KeptReplica? = nil) { self.content = Mutex(content) }

        func put(_ replica: KeptReplica) { content.withLock { $0 = replica } }

        func take() -> KeptReplica? { content.withLock { $0.take() } }
    }
}

// MARK: What is remembered and shown

extension UbiquityWork {
    private func readMemory() throws(StoreError) -> ContainerMemory {
        let tables = ReplicaTables(connection: try store.file.makeReader())
        return try ReplicaTables.translating { () throws(SQLiteError) in
            guard try tables.exist else { return ContainerMemory() }
            return ContainerMemory(
                markers: ContainerID.set(of: try tables.bytes(.markers) ?? []),
                rootMarkers: ContainerID.set(of: try tables.bytes(.rootMarkers) ?? []))
        }
    }

    private func keep(_ memory: ContainerMemory) throws(StoreError) {
        _ = try change { kept, writer, origin, _ throws(StoreError) in
            try kept.keep([], on: writer.connection)
            let tables = ReplicaTables(connection: writer.connection)
            try ReplicaTables.translating { () throws(SQLiteError) in
                try tables.keep(.markers, memory.markers.sorted().flatMap(\.bytes))
                try tables.keep(.rootMarkers, memory.rootMarkers.sorted().flatMap(\.bytes))
            }
            return try writer.execute(SaveRequestMessage(store: 0, request: .unrepeated), by: origin)
        }
    }

    private func showStatus(_ failure: String?) {
        let condition = visit.withLock { $0?.condition } ?? .new
        var status = kept.withLock { kept -> UbiquityStatus in
            guard let kept else { return UbiquityStatus() }
            return UbiquityStatus(kept)
        }
        status.condition = condition
        status.failure = failure
        signals.show(status)
    }
}

extension UbiquityStatus {
    /// What registers and their exchange show.
    fileprivate init(_ kept: KeptReplica) {
        let exchange = kept.exchange.status
        peer = kept.exchange.peer
        lastFold = kept.exchange.lastFold
        unwrittenFolds = exchange.unwritten.runs.reduce(0) { $0 + $1.count }
        vector = kept.exchange.vector.entries.mapValues(\.folds.gaplessLast)
        seenBy = exchange.seenBy
        waiting = exchange.waiting.keys.sorted { "\($0)" < "\($1)" }
        quarantined = exchange.quarantined
        digest = kept.digest
        objectCount = kept.replica.graph.seen.objects.count
        differing = kept.exchange.differing(from: kept.digest)
    }
}

extension ContainerID {
    /// The ids that bytes are, 16 each.
    fileprivate static func set(of bytes: [UInt8]) -> Set<ContainerID> {
        let word = { (part: ArraySlice<UInt8>) in part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return Set(
            stride(from: 0, to: bytes.count - bytes.count % 16, by: 16).map { start in
                ContainerID(
                    high: word(bytes[start..<start + 8]), low: word(bytes[start + 8..<start + 16]))
            })
    }
}
