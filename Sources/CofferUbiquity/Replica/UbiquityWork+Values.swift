internal import CofferContainer
internal import CofferCoordination
internal import CofferMerge
internal import CofferModel
internal import CofferSQLite
internal import CofferStores
internal import CofferWire
internal import Synchronization

/// Large values, which go beside the registers that name them.
extension UbiquityWork {
    /// Puts the values there that rows show, before the logs that name them, and the pieces that are owed.
    func putValues(over carrier: any ContainerCarrier) throws {
        let owed = try read { Set($0.values.owed.keys) }
        try values.put(owed, over: carrier) {
            !signals.isOver
        } reading: { name in
            // What cannot be read now is put another time.
            (try? piece(name)) ?? nil
        }
        let isPresent = try values.presence()
        try values.put(try read { $0.shownValues { !isPresent($0) } }, over: carrier) {
            !signals.isOver
        } reading: { value in
            // What cannot be read now is put another time.
            (try? content(of: value)) ?? nil
        }
    }

    /// Whether the container has all large values that rows show, and the pieces that are owed, as it is
    /// listed now; those that are gone here can never come there.
    func hasPutValues() throws -> Bool {
        let listed = try carrier.list().objects
        for name in try read({ Set($0.values.owed.keys) }) where !listed.contains(name) {
            if try piece(name) != nil { return false }
        }
        let isPresent = { @Sendable (large: LargeValue) in large.pieces.allSatisfy(listed.contains) }
        for value in try read({ $0.shownValues { !isPresent($0) } }) where !isPresent(value.large) {
            if try content(of: value) != nil { return false }
        }
        return true
    }

    /// A piece that is owed; `nil` if it is not kept, or damaged.
    private func piece(_ name: ObjectName) throws(StoreError) -> ContainerObject? {
        try inStore { (store) throws(StoreError) in
            let pieces = KeptPieces(try store.file.makeReader())
            return try ReplicaTables.translating { () throws(SQLiteError) in try pieces.piece(name) }
        }
    }

    /// The value that a row has now; `nil` if the row is gone, or the file of its value.
    private func content(of value: ShownValue) throws(StoreError) -> AttributeValue? {
        do throws(StoreError) {
            return try inStore { (store) throws(StoreError) in try store.content(of: value) }
        } catch {
            switch error {
            case .missing, .damaged, .tooLarge: return nil
            default: throw error
            }
        }
    }

    /// Has rows show the large values that are in the container now.
    func takeValues() throws {
        let listed = kept.withLock { $0?.exchange.listedObjects ?? [] }
        values.listed(listed)
        kept.withLock { kept in
            if let named = kept?.namedPieces { kept?.exchange.noteValues(named: named) }
        }
        if let (since, paid) = try read({ $0.listedPieces }) {
            _ = try change { kept, writer, origin, _ throws(StoreError) in
                try kept.note(listed: since, paid: paid, on: writer.connection)
                return try writer.execute(SaveRequestMessage(store: 0, request: .unrepeated), by: origin)
            }
        }
        try values.get(try read { $0.wantedValues }) {
            !signals.isOver
        } _: { arrived in
            report(
                try change { kept, writer, origin, now throws(StoreError) in
                    try kept.pass(showing: arrived, on: writer, by: origin, at: now)
                })
        }
    }

    /// Tells how many objects came.
    func report(_ execution: SaveExecution) {
        guard let transaction = execution.transaction else { return }
        let count = transaction.changes.reduce(0) { $0 + $1.primaryKeys.count }
        environment.report(.imported(objectCount: count))
    }
}
