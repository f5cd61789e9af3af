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
        try values.put(try read { $0.values.owed }, over: carrier) {
            !signals.isOver
        } reading: { name in
            piece(name)
        }
        try values.put(try read { $0.shownValues }, over: carrier) {
            !signals.isOver
        } reading: { value in
            content(of: value)
        }
    }

    /// Whether the container has all large values that rows show, as it is listed now; those that cannot be
    /// read here can never come there.
    func hasPutValues() throws -> Bool {
        let listed = try carrier.list().objects
        let hasOwed = try read { $0.values.owed }.allSatisfy { listed.contains($0) || piece($0) == nil }
        return try hasOwed
            && read { $0.shownValues }.allSatisfy { value in
                value.large.pieces.allSatisfy(listed.contains) || content(of: value) == nil
            }
    }

    /// A piece that is owed; `nil` if it cannot be read.
    private func piece(_ name: ObjectName) -> ContainerObject? {
        // A piece that cannot be read stays owed.
        let piece = try? inStore { (store) throws(StoreError) in
            let pieces = KeptPieces(try store.file.makeReader())
            return try ReplicaTables.translating { () throws(SQLiteError) in try pieces.piece(name) }
        }
        return piece ?? nil
    }

    /// What a row shows now; `nil` where it cannot be read, as where its file is missing.
    private func content(of value: ShownValue) -> AttributeValue? {
        let content = try? inStore { (store) throws(StoreError) in try store.content(of: value) }
        return content ?? nil
    }

    /// Has rows show the large values that are in the container now.
    func takeValues() throws {
        let listed = kept.withLock { $0?.exchange.listedObjects ?? [] }
        values.listed(listed)
        kept.withLock { kept in
            if let named = kept?.namedPieces { kept?.exchange.noteValues(named: named) }
        }
        let paid = try read { $0.paidPieces }
        if !paid.isEmpty {
            _ = try change { kept, writer, origin, _ throws(StoreError) in
                try kept.forgetPieces(paid, on: writer.connection)
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
