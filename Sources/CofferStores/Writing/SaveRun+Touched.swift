internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// An update without values for each object of which something changed that its own update does not say, if it has one; grouped by what
    /// changed.
    func touchedGroups(_ touched: [LeafKey: Set<Int>]) -> [ChangeGroup] {
        struct Kind: Hashable {
            var entity: Int
            var properties: Set<Int>
        }
        if touched.isEmpty { return [] }
        var groups: [Kind: [Int64]] = [:]
        for (object, properties) in touched {
            groups[Kind(entity: object.entity, properties: properties), default: []].append(object.key)
        }
        return groups.map { kind, keys in
            ChangeGroup(
                kind: .update, entity: kind.entity, primaryKeys: keys.sorted(),
                properties: kind.properties.sorted())
        }.sorted { ($0.entity, $0.primaryKeys[0]) < ($1.entity, $1.primaryKeys[0]) }
    }

    /// Whether the save inserts the object, or has deleted it.
    func isNewOrGone(_ object: LeafKey) -> Bool {
        let root = writer.file.schema.model.entities[object.entity].rootIndex
        if deleted.contains(RowKey(root: root, key: object.key)) { return true }
        return reference(object.entity, object.key).temporaryID != nil
    }

    /// Writes the transaction: an object that was updated has one row, with all that changed of it.
    ///
    /// Those who are told at once get what was touched in groups of its own, so that the others keep their values.
    func writeHistory(_ message: TransactionMessage, reply: [UInt8]?) throws(StoreError) {
        let history = writer.history
        var noted = touched
        let entities = Set(noted.keys.map(\.entity))
        try translating { () throws(SQLiteError) in
            _ = try history.begin(message, request: reply.map { (save.request, $0) })
        }
        for (group, columns) in changes {
            if group.kind == .update, entities.contains(group.entity) {
                for (part, columns) in try parts(of: group, columns, taking: &noted) {
                    try translating { () throws(SQLiteError) in try history.write(part, columns: columns) }
                }
                continue
            }
            try translating { () throws(SQLiteError) in
                if group.kind == .delete, let tombstones = tombstones[group.entity] {
                    let keys = Set(group.primaryKeys)
                    try history.write(
                        tombstones.filter { keys.contains($0.key) }, entity: group.entity,
                        count: tombstones[0].values.count)
                } else {
                    try history.write(group, columns: columns)
                }
            }
        }
        for group in touchedGroups(noted) {
            let columns = try writer.plan(group.entity).history.bitmap(of: group.properties)
            try translating { () throws(SQLiteError) in try history.write(group, columns: columns) }
        }
    }

    /// Adds what triggers changed of the objects of batch updates to what tells of them already, from the change at `first` on.
    ///
    /// Done piece by piece, so that the log never holds more than one of them. None of these changes has values.
    mutating func absorbDerived(from first: Int) throws(StoreError) {
        guard let log = writer.triggers, !log.touched.isEmpty else { return }
        for place in (first..<changes.count).reversed() where changes[place].group.kind == .update {
            let change = changes[place]
            let parts = try parts(of: change.group, change.columns, taking: &log.touched)
            changes.replaceSubrange(place...place, with: parts)
        }
    }

    /// Updated objects by what else is noted of them, without values; what is noted of them is taken.
    private func parts(
        of group: ChangeGroup, _ columns: [UInt8]?, taking noted: inout [LeafKey: Set<Int>]
    ) throws(StoreError) -> [(group: ChangeGroup, columns: [UInt8]?)] {
        var kinds: [Set<Int>: [Int]] = [:]
        for (row, key) in group.primaryKeys.enumerated() {
            let more = noted.removeValue(forKey: LeafKey(entity: group.entity, key: key)) ?? []
            kinds[more.subtracting(group.properties), default: []].append(row)
        }
        let layout = try writer.plan(group.entity).history
        return kinds.sorted { $0.value[0] < $1.value[0] }.map { more, rows in
            var part = group
            part.columns = []
            part.primaryKeys = rows.map { group.primaryKeys[$0] }
            if !group.versions.isEmpty { part.versions = rows.map { group.versions[$0] } }
            if more.isEmpty { return (part, columns) }
            part.properties += more.sorted()
            let bits = layout.bitmap(of: more.sorted())
            return (part, columns.map { zip($0, bits).map { $0 | $1 } } ?? bits)
        }
    }
}
