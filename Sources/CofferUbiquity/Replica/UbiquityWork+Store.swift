internal import CofferContainer
internal import CofferCoordination
internal import CofferMerge
internal import CofferSQLite
internal import CofferStores
internal import CofferWire
internal import Synchronization

/// Each access to the store's file.
///
/// The caller that ends the work waits until an access is over, and none begins after that.
extension UbiquityWork {
    func inStore<Result>(
        _ body: (PersistentStore) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard signals.enterStore() else { throw .interrupted }
        defer { signals.leaveStore() }
        guard let store = store.withLock({ $0 }) else { throw .interrupted }
        return try body(store)
    }

    /// Looks at the registers between two transactions.
    ///
    /// - Throws: `StoreError` if they cannot be read; then they are tried again from the start.
    func read<Result: Sendable>(_ body: @Sendable (KeptReplica) -> Result) throws(StoreError) -> Result {
        if let result = try kept.withLock({ (kept) throws(StoreError) in try look(at: &kept, body) }) {
            return result
        }
        let changes = keptChanges.load(ordering: .acquiring)
        return try inStore { (store) throws(StoreError) in
            let reader = try store.file.makeReader()
            var made: KeptReplica? = try readAgain(over: reader, of: store.file)
            made?.lookedUp?.read(over: reader)
            if let made, made.lookedUp == nil { noteHandled(made.registerCount) }
            guard let result = try look(at: &made, body) else { throw .interrupted }
            kept.withLock { [made] kept in
                // A change since then made what was read here out of date.
                if kept == nil, keptChanges.load(ordering: .acquiring) == changes { kept = made }
            }
            return result
        }
    }

    /// Looks at registers, which are let go if something of them could not be looked up.
    private func look<Result>(
        at kept: inout KeptReplica?, _ body: (KeptReplica) -> Result
    ) throws(StoreError) -> Result? {
        guard let present = kept else { return nil }
        let result = body(present)
        do throws(StoreError) { try check(present) } catch {
            kept = nil
            throw error
        }
        return result
    }

    /// Throws if something could not be looked up; what follows of registers is made again if it is damaged.
    private func check(_ replica: KeptReplica) throws(StoreError) {
        guard let lookedUp = replica.lookedUp else { return }
        if lookedUp.isDerivedDamaged { isDerivedDamaged.store(true, ordering: .releasing) }
        try lookedUp.check()
    }

    /// What the file has.
    func readAgain(over connection: SQLiteConnection, of file: StoreFile) throws(StoreError) -> KeptReplica {
        try KeptReplica(
            reading: connection, of: file, rules: environment.rules,
            isDerivedDamaged: isDerivedDamaged.load(ordering: .acquiring), words: environment.words)
    }

    /// Takes the registers away, to be changed.
    private func takeKept() -> KeptReplica? {
        kept.withLock { kept in
            keptChanges.add(1, ordering: .acquiringAndReleasing)
            return kept.take()
        }
    }

    /// Puts them back, as the file has them now; `nil` if they are to be read from it.
    private func putKept(_ replica: KeptReplica?) {
        kept.withLock { kept in
            keptChanges.add(1, ordering: .acquiringAndReleasing)
            kept = replica
        }
    }

    /// Changes the registers and the file in one transaction.
    ///
    /// If the transaction is rolled back, and `body` called again, the registers are read from the file
    /// again.
    func change(
        _ body:
            @escaping @Sendable (
                inout KeptReplica, StoreWriter, SaveOrigin, WallTime
            ) throws(StoreError) -> SaveExecution
    ) throws(StoreError) -> SaveExecution {
        try inStore { (store) throws(StoreError) in
            let present = Handover(takeKept())
            let changed = Handover()
            let (file, signals) = (store.file, signals)
            let now = environment.now()
            let origin = Self.origin(at: now)
            let execution = try store.save(by: origin) { [self] writer throws(StoreError) in
                // The caller that ended the work meanwhile waits for this alone.
                if signals.isOver { throw .interrupted }
                var replica: KeptReplica
                if let known = present.take() {
                    replica = known
                    replica.lookedUp?.lend(writer.connection)
                    replica.isKept = false
                } else {
                    replica = try readAgain(over: writer.connection, of: file)
                }
                var execution: SaveExecution?
                do throws(StoreError) {
                    try writer.withSavepoint { () throws(StoreError) in
                        execution = try body(&replica, writer, origin, now)
                        return true
                    }
                } catch {
                    // What could not be looked up is why anything else went wrong.
                    try check(replica)
                    throw error
                }
                guard let execution else { throw .interrupted }
                changed.put(replica)
                return execution
            }
            var result = changed.take()
            result?.settle(in: file)
            if result?.owesDerived == false { isDerivedDamaged.store(false, ordering: .releasing) }
            putKept(result)
            return execution
        }
    }

    /// Folds much that was saved beside the commit queue, so that saves wait only while it is written.
    ///
    /// - Parameters:
    ///   - number: The last transaction that is folded.
    ///   - isForeign: Whether the file was written to without history since.
    /// - Throws: `StoreError` if it cannot be read.
    func prepareFold(since number: UInt64, isForeign: Bool) throws(StoreError) {
        try inStore { (store) throws(StoreError) in
            let count = isForeign || number == 0 ? nil : try store.changeCount(since: number)
            if let count, count < environment.foldedInQueue { return }
            try prepare { kept throws(StoreError) in
                try store.atOneMoment { objects, history throws(StoreError) in
                    kept.isForeign = isForeign
                    try kept.prepareFold(
                        in: FileMoment(objects: objects, history: history), at: environment.now())
                }
                noteHandled(count.map { Limits.registersOfRecord * Int(clamping: $0) } ?? kept.registerCount)
            }
        }
        environment.didPrepare()
    }

    /// Changes the registers beside the commit queue, as the file will have them soon; if they are not at
    /// hand, nothing is done.
    func prepare(_ body: (inout KeptReplica) throws(StoreError) -> Void) throws(StoreError) {
        guard var replica = takeKept() else { return }
        try body(&replica)
        putKept(replica)
    }

    /// The origin of saves that others' changes, or a fold, ask for.
    static func origin(at now: WallTime) -> SaveOrigin {
        SaveOrigin(
            application: "", process: "cofferd", timestamp: Double(now.microseconds) / 1e6 - 978_307_200,
            origin: .import)
    }

    /// What one thread leaves for another.
    private final class Handover: Sendable {
        private let content: Mutex<KeptReplica?>

        init(_ content: KeptReplica? = nil) { self.content = Mutex(content) }

        func put(_ replica: KeptReplica) { content.withLock { $0 = replica } }

        func take() -> KeptReplica? { content.withLock { $0.take() } }
    }
}

// MARK: What is remembered of the container

extension UbiquityWork {
    func readMemory() throws(StoreError) -> ContainerMemory {
        try inStore { (store) throws(StoreError) in
            let tables = ReplicaTables(connection: try store.file.makeReader())
            return try ReplicaTables.translating { () throws(SQLiteError) in
                guard try tables.exist else { return ContainerMemory() }
                return ContainerMemory(
                    markers: ContainerID.set(of: try tables.bytes(.markers) ?? []),
                    rootMarkers: ContainerID.set(of: try tables.bytes(.rootMarkers) ?? []))
            }
        }
    }

    func keep(_ memory: ContainerMemory) throws(StoreError) {
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
}

extension ContainerID {
    /// The ids that bytes are, 16 each.
    static func set(of bytes: [UInt8]) -> Set<ContainerID> {
        let word = { (part: ArraySlice<UInt8>) in part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return Set(
            stride(from: 0, to: bytes.count - bytes.count % 16, by: 16).map { start in
                ContainerID(
                    high: word(bytes[start..<start + 8]), low: word(bytes[start + 8..<start + 16]))
            })
    }
}
