internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension WrittenChanges {
    /// An update without values for each touched object, with its version if that is new, grouped by what
    /// changed.
    func touchedGroups() -> [ChangeGroup] { groups(of: touched) }

    private func groups(of touched: [LeafKey: Set<Int>]) -> [ChangeGroup] {
        struct Kind: Hashable {
            var entity: Int
            var properties: Set<Int>
            var isRaised: Bool
        }
        if touched.isEmpty { return [] }
        var groups: [Kind: [Int64]] = [:]
        for (object, properties) in touched {
            let kind = Kind(
                entity: object.entity, properties: properties, isRaised: raised[object] != nil)
            groups[kind, default: []].append(object.key)
        }
        return groups.map { kind, keys in
            let keys = keys.sorted()
            return ChangeGroup(
                kind: .update, entity: kind.entity, primaryKeys: keys,
                versions: kind.isRaised
                    ? keys.compactMap { raised[LeafKey(entity: kind.entity, key: $0)] } : [],
                properties: kind.properties.sorted())
        }.sorted { ($0.entity, $0.primaryKeys[0]) < ($1.entity, $1.primaryKeys[0]) }
    }

    /// Writes the transaction: an updated object has one row, with all its changed properties.
    ///
    /// For the clients that are notified at once, objects that were only touched come in groups of their own,
    /// so that the other groups keep their values.
    func writeHistory(
        _ message: TransactionMessage, request: RequestIDMessage, reply: [UInt8]?
    ) throws(StoreError) {
        let history = writer.history
        var unwritten = touched.merging(moved) { $0.union($1) }
        let entities = Set(unwritten.keys.map(\.entity))
        try translating { () throws(SQLiteError) in
            _ = try history.begin(message, request: reply.map { (request, $0) })
        }
        if writer.file.isUnderConstruction { return }
        for group in groups {
            let change = group.change
            if change.kind == .update, entities.contains(change.entity) {
                for part in try parts(of: group, taking: &unwritten) {
                    try translating { () throws(SQLiteError) in
                        try history.write(part.change, columns: part.columns)
                    }
                }
                continue
            }
            try translating { () throws(SQLiteError) in
                if change.kind == .delete, let tombstones = tombstones[change.entity] {
                    let keys = Set(change.primaryKeys)
                    try history.write(
                        tombstones.filter { keys.contains($0.key) }, entity: change.entity,
                        count: tombstones[0].values.count)
                } else {
                    try history.write(change, columns: group.columns)
                }
            }
        }
        for change in groups(of: unwritten) {
            let columns = try writer.plan(change.entity).history.bitmap(of: change.properties)
            try translating { () throws(SQLiteError) in try history.write(change, columns: columns) }
        }
    }

    /// Adds what triggers changed of the objects of batch updates to the groups that have them, from the
    /// group at `first` on.
    ///
    /// This is done for one part of a batch at a time, so that the log never holds more than one. None of
    /// these groups has values.
    func absorbDerived(from first: Int) throws(StoreError) {
        guard let log = writer.triggers, !log.touched.isEmpty else { return }
        for place in (first..<groups.count).reversed() where groups[place].change.kind == .update {
            let parts = try parts(of: groups[place], taking: &log.touched)
            groups.replaceSubrange(place...place, with: parts)
        }
    }

    /// Updated objects, grouped by what else changed of them, without values; they are removed from
    /// `touched`.
    private func parts(
        of group: Group, taking touched: inout [LeafKey: Set<Int>]
    ) throws(StoreError) -> [Group] {
        let change = group.change
        var kinds: [Set<Int>: [Int]] = [:]
        for (row, key) in change.primaryKeys.enumerated() {
            let more = touched.removeValue(forKey: LeafKey(entity: change.entity, key: key)) ?? []
            kinds[more.subtracting(change.properties), default: []].append(row)
        }
        let layout = try writer.plan(change.entity).history
        return kinds.sorted { $0.value[0] < $1.value[0] }.map { more, rows in
            var part = group
            part.change.columns = []
            part.change.primaryKeys = rows.map { change.primaryKeys[$0] }
            if !change.versions.isEmpty { part.change.versions = rows.map { change.versions[$0] } }
            if more.isEmpty { return part }
            part.change.properties += more.sorted()
            let bits = layout.bitmap(of: more.sorted())
            part.columns = group.columns.map { zip($0, bits).map { $0 | $1 } } ?? bits
            return part
        }
    }
}
