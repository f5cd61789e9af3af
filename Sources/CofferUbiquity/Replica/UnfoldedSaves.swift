internal import CofferContainer
internal import CofferMerge
internal import CofferStores
internal import CofferWire

/// Which properties of which rows were saved since the last fold, as history tells.
struct UnfoldedSaves {
    /// What was done to a row.
    private enum Edit {
        /// It came or went.
        case whole
        /// Properties changed, by their places in the entity.
        case properties(Set<Int>)
    }

    private var edits: [RowAddress: Edit] = [:]
    /// When the last of them was made, in microseconds since 1970.
    private(set) var microseconds: Int64

    /// The saves after transaction `number`.
    ///
    /// Where history does not go back so far, none: whoever cannot tell edits from what a migration computed
    /// overwrites nobody.
    init(since number: UInt64, on writer: StoreWriter, now: WallTime) throws(StoreError) {
        microseconds = now.microseconds
        var time: Double?
        for transaction in try writer.transactions(since: number) ?? []
        where transaction.origin == .save || transaction.origin == .reload {
            time = max(time ?? transaction.timestamp, transaction.timestamp)
            for group in transaction.changes {
                for key in group.primaryKeys {
                    note(group, at: RowAddress(entity: group.entity, key: key))
                }
            }
        }
        if let time, let exact = Int64(exactly: ((time + 978_307_200) * 1e6).rounded()) {
            microseconds = exact
        }
    }

    private mutating func note(_ group: ChangeGroup, at row: RowAddress) {
        switch (group.kind, edits[row]) {
        case (.update, .whole?): break
        case (.update, .properties(let former)?):
            edits[row] = .properties(former.union(group.properties))
        case (.update, nil): edits[row] = .properties(Set(group.properties))
        case (.insert, _), (.delete, _): edits[row] = .whole
        }
    }

    /// The rows.
    var rows: Set<RowAddress> { Set(edits.keys) }

    /// Whether a property of a row was saved.
    func wrote(_ property: String, of row: RowAddress, _ entity: MergeEntity) -> Bool {
        switch edits[row] {
        case .whole: true
        case .properties(let properties): entity.propertyIndex(property).map(properties.contains) ?? false
        case nil: false
        }
    }

    /// Those of some changes that saves made: all of objects that came, and else of properties that history
    /// names.
    func made(
        _ changes: [LocalEdit.Change], of replica: Replica, rows: [RecordID: RowAddress]
    ) -> [LocalEdit.Change] {
        let wrote = { (name: RecordID, property: String) -> Bool in
            // Who has no row before came by a save.
            guard let row = rows[name] else { return true }
            return self.wrote(property, of: row, replica.model.entity(at: row.entity))
        }
        return changes.filter { change in
            switch change {
            case .insert, .delete: true
            case .set(let name, let property, _): wrote(name, property)
            case .order(let name, let property, _): wrote(name, property)
            case .pair(let name, let property, let other, _):
                wrote(name, property)
                    || replica.inverse(of: property, from: name, rows[name]).map { wrote(other, $0) } ?? false
            }
        }
    }
}

extension Replica {
    /// The other end of a relationship of an object.
    fileprivate func inverse(of property: String, from name: RecordID, _ row: RowAddress?) -> String? {
        row.flatMap { model.entity(at: $0.entity).relationship(property)?.inverse?.property }
    }
}
