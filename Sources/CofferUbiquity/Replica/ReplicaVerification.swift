package import CofferContainer
package import CofferCoordination
internal import CofferMerge
internal import CofferModel
internal import CofferSQLite
package import CofferStores
internal import CofferWire

/// What comes of comparing the registers that a store keeps for other machines with its rows.
///
/// The graph that the registers show when it is derived again, and the rows, are to be the same.
package struct ReplicaVerification: Sendable {
    /// How many differences are told of one by one.
    package static let differencesTold = 1_000

    /// How many objects the registers show.
    package private(set) var objectCount = 0
    /// How many rows were saved since they became registers last, which are not compared.
    package private(set) var unfoldedCount = 0
    /// How many objects differ.
    package private(set) var differenceCount = 0
    /// Of these the first, each in words.
    package private(set) var differences: [String] = []
    /// The digest of the registers.
    package private(set) var digest = StateDigest()

    /// Compares both inside the store's file, and writes nothing; saves wait meanwhile.
    ///
    /// - Returns: `nil` if the store keeps no registers, since it was never shared.
    /// - Throws: `StoreError`, of a store that is open for reading alone too.
    package static func of(_ store: PersistentStore) throws(StoreError) -> ReplicaVerification? {
        let file = store.file
        return try store.write { writer throws(StoreError) in
            let tables = ReplicaTables(connection: writer.connection)
            guard try ReplicaTables.translating({ () throws(SQLiteError) in try tables.exist }) else {
                return nil
            }
            let kept = try KeptReplica(
                reading: writer.connection, of: file, rules: ExchangeRules(), isWhole: true)
            var verification = ReplicaVerification()
            try verification.compare(kept, on: writer)
            return verification
        }
    }
}

extension ReplicaVerification {
    private mutating func compare(_ kept: KeptReplica, on writer: StoreWriter) throws(StoreError) {
        let model = kept.model
        let reader = try writer.batchReader()
        let rows = try kept.presentRows(in: reader)
        let reading = ObjectReading(reader: reader, model: model, merge: kept.replica.model)
        let stored = try reading.objects(at: rows)
        let unfolded = try Self.unfoldedRows(since: kept.folded, of: rows, on: writer)
        let graph = kept.replica.graph
        digest = StateDigest(kept.replica.state.registers)
        if digest != kept.digest { note("the registers have another digest than the file says") }
        for difference in try kept.differencesOfDerived(on: writer.connection) { note(difference) }
        objectCount = graph.objectCount
        unfoldedCount = unfolded.count
        let left = Self.names(at: unfolded, stored, in: kept)
        for name in Set(graph.names).union(kept.book.shown.keys).subtracting(left).sorted() {
            let request = ImportRequest(
                [name], of: graph, in: model, kept.replica.model, stored: stored,
                books: (kept.book, kept.values), arrived: [:])
            if request.isEmpty { continue }
            let row = kept.book.row(of: name).flatMap { stored[$0] == nil ? nil : $0 }
            let entity = row.map { model.entities[$0.entity].name } ?? graph.entity(of: name)?.name ?? "?"
            let place = row.map { "\(entity)/p\($0.key)" } ?? "\(entity) \(name)"
            switch (graph.shows(name), row) {
            case (true, _?): note("\(place): the row says something else than the registers")
            case (true, nil): note("\(place): the registers show it, and no row does")
            case (false, _): note("\(place): a row shows it, and the registers do not")
            }
        }
        for row in rows.subtracting(unfolded).sorted() where kept.book.name(at: row) == nil {
            note("\(model.entities[row.entity].name)/p\(row.key): a row of which no register says anything")
        }
    }

    private mutating func note(_ difference: String) {
        differenceCount += 1
        if differences.count < Self.differencesTold { differences.append(difference) }
    }

    /// The rows that were saved since the last fold; all if history does not tell.
    private static func unfoldedRows(
        since number: UInt64, of all: Set<RowAddress>, on writer: StoreWriter
    ) throws(StoreError) -> Set<RowAddress> {
        guard number > 0, let transactions = try writer.transactions(since: number) else { return all }
        var rows: Set<RowAddress> = []
        for transaction in transactions where transaction.origin != .import {
            if transaction.origin != .save { return all }
            for group in transaction.changes {
                for key in group.primaryKeys { rows.insert(RowAddress(entity: group.entity, key: key)) }
            }
        }
        return rows
    }

    /// The objects that rows show, and those that they are related to, before and now: a save of one end may
    /// change what the other one shows.
    private static func names(
        at rows: Set<RowAddress>, _ stored: [RowAddress: StoredObject], in kept: KeptReplica
    ) -> Set<RecordID> {
        var names: Set<RecordID> = []
        for row in rows {
            var near: Set<RowAddress> = [row]
            if let object = stored[row] {
                near.formUnion(object.references.values)
                near.formUnion(object.members.values.flatMap { $0 })
                near.formUnion(object.orders.values.flatMap { $0 })
            }
            names.formUnion(near.compactMap { kept.book.name(at: $0) })
            guard let object = kept.book.name(at: row).flatMap({ kept.replica.graph.object($0) }) else {
                continue
            }
            names.formUnion(object.references.values)
            names.formUnion(object.members.values.flatMap { $0 })
            names.formUnion(object.orders.values.flatMap { $0 })
        }
        return names.union(members(of: rows, stored, in: kept))
    }

    /// The objects that owners in some rows have in to-many relationships without inverse, now and before.
    private static func members(
        of owners: Set<RowAddress>, _ stored: [RowAddress: StoredObject], in kept: KeptReplica
    ) -> Set<RecordID> {
        let unnamed = Set(
            kept.replica.model.entities.values.flatMap { $0.references.filter(\.value.isUnnamed).keys })
        if unnamed.isEmpty { return [] }
        var names: Set<RecordID> = []
        for (row, object) in stored
        where object.references.contains(where: { unnamed.contains($0.key) && owners.contains($0.value) }) {
            if let name = kept.book.name(at: row) { names.insert(name) }
        }
        let former = Set(owners.compactMap { kept.book.name(at: $0) })
        let graph = kept.replica.graph
        for object in graph.names.lazy.compactMap({ graph.object($0, withMembers: false) })
        where object.references.contains(where: { unnamed.contains($0.key) && former.contains($0.value) }) {
            names.insert(object.id)
        }
        return names
    }
}
