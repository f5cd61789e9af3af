package import CofferContainer
package import CofferCoordination
package import CofferMerge
internal import CofferModel
package import CofferStores

/// What the file of a shared store holds at a moment, for comparing it with what merging promises: its
/// registers, and its rows as objects.
package struct ReplicaReading: Sendable {
    /// The registers; none if it was never shared.
    package let registers: [Register]
    /// The rows by the names of the objects that they show; those that were inserted since the last fold have
    /// a name that follows from their place.
    package let rows: [RecordID: SeenObject]
    /// Where the rows are.
    package let addresses: [RecordID: RowAddress]
    /// The digest of the registers, as it is kept.
    package let digest: StateDigest
    /// The exchange with the container.
    package let exchange: Exchange

    /// Reads the file of a store; saves wait meanwhile.
    ///
    /// - Throws: `StoreError`, of a store that is open for reading alone too.
    package static func of(_ store: PersistentStore) throws(StoreError) -> ReplicaReading {
        let file = store.file
        return try store.write { writer throws(StoreError) in
            let kept = try KeptReplica(
                reading: writer.connection, of: file, rules: ExchangeRules(), isWhole: true)
            return try ReplicaReading(kept, on: writer)
        }
    }

    private init(_ kept: KeptReplica, on writer: StoreWriter) throws(StoreError) {
        let merge = kept.replica.model
        let reader = try writer.batchReader()
        let reading = ObjectReading(reader: reader, model: kept.model, merge: merge)
        let present = try kept.presentRows(in: reader)
        let name = { (row: RowAddress) in
            kept.book.name(at: row) ?? RecordID(high: .max - UInt64(row.entity), low: UInt64(row.key))
        }
        var rows: [RecordID: SeenObject] = [:]
        var addresses: [RecordID: RowAddress] = [:]
        for (row, stored) in try reading.objects(at: present) {
            let id = name(row)
            var object = SeenObject(id, entity: merge.entity(at: row.entity).name, records: [id])
            object.values = stored.values
            for (property, large) in stored.largeValues {
                (object.values[property], object.largeValues[property]) = (.null, large)
            }
            object.references = stored.references.mapValues(name)
            object.members = stored.members.mapValues { Set($0.map(name)) }
            object.orders = stored.orders.mapValues { $0.map(name) }
            (rows[id], addresses[id]) = (object, row)
        }
        (self.rows, self.addresses) = (rows, addresses)
        registers = kept.replica.state.registers
        (exchange, digest) = (kept.exchange, kept.digest)
    }
}
