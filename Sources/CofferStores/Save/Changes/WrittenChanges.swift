internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// What a save has written, for history, for other clients, and for the answer.
///
/// Shared by all passes of a save.
final class WrittenChanges {
    /// Objects of one entity that were written alike.
    struct Group {
        var change: ChangeGroup
        /// Which columns of an update history records.
        var columns: [UInt8]?
    }

    let writer: StoreWriter
    /// Written groups in order.
    var groups: [Group] = []
    /// Values that outlive their objects, by leaf entity.
    private(set) var tombstones: [Int: [HistoryWriter.Tombstone]] = [:]
    /// Deleted objects by leaf entity that are in no group yet.
    private var deletedKeys: [Int: [Int64]] = [:]
    /// Objects whose to-many relationships changed with another object's row, or derived attributes by
    /// triggers.
    private(set) var touched: [LeafKey: Set<Int>] = [:]
    /// Objects that the client must read again.
    private(set) var refreshed: Set<LeafKey> = []
    /// Objects that the request did not delete itself, and that are gone.
    private var alsoDeleted: [Int: DeleteGroup] = [:]
    /// The groups of ends that follow from others, as far as they can still grow.
    var writtenEnds = WrittenEnds()
    /// Whether a batch operation is executed: nobody waits for an answer about its single objects, which all
    /// are told by a push.
    var isBatchRunning = false

    init(_ writer: StoreWriter) { self.writer = writer }

    /// Adds objects that were written alike.
    func add(_ change: ChangeGroup, columns: [UInt8]? = nil) {
        groups.append(Group(change: change, columns: columns))
    }

    /// Adds one updated row that had `version`, without values.
    func addUpdate(of object: LeafKey, version: UInt32, by statement: ColumnStatement) {
        add(
            ChangeGroup(
                kind: .update, entity: object.entity, primaryKeys: [object.key], versions: [version &+ 1],
                properties: statement.properties), columns: statement.changedColumns)
    }

    /// Records that a to-many relationship of an object changed; what a request says of old owners may be
    /// nonsense.
    func touch(_ object: LeafKey, _ property: Int) {
        let entities = writer.file.schema.entities
        guard entities.indices.contains(object.entity), let stored = entities[object.entity],
            stored.columns.indices.contains(property)
        else { return }
        touched[object, default: []].insert(property)
    }

    /// Lets the client read an object again.
    func refresh(_ object: LeafKey) {
        if !isBatchRunning { refreshed.insert(object) }
    }

    /// Adds an object that was deleted, with what history keeps of it.
    func addDelete(of object: LeafKey, _ plan: EntityPlan, preserved: [HistoryWriter.Value]) {
        deletedKeys[object.entity, default: []].append(object.key)
        if !plan.history.preserved.isEmpty {
            tombstones[object.entity, default: []].append(.init(key: object.key, values: preserved))
        }
    }

    /// Tells the client of an object that it did not delete, and that is gone.
    func addAlsoDeleted(_ object: LeafKey, version: UInt32) {
        if isBatchRunning { return }
        alsoDeleted[
            object.entity, default: DeleteGroup(entity: object.entity, primaryKeys: [], versions: [])
        ].primaryKeys.append(object.key)
        alsoDeleted[object.entity]?.versions.append(version)
    }

    /// Drops the values of batch updates, in groups from `first` on.
    ///
    /// Those of a million objects are too many to tell: whoever holds some of the objects reads them.
    func dropValues(from first: Int) {
        for place in first..<groups.count { groups[place].change.columns = [] }
    }

    /// Puts the objects that were deleted since the last time behind the other changes.
    func listDeletes() {
        if deletedKeys.isEmpty { return }
        for (entity, keys) in deletedKeys.sorted(by: { $0.key < $1.key }) {
            add(ChangeGroup(kind: .delete, entity: entity, primaryKeys: keys))
        }
        deletedKeys = [:]
    }
}

extension WrittenChanges {
    /// Whether any change may move objects in orders that the file keeps.
    var touchesSortKeys: Bool {
        let sortKeys = writer.sortKeys
        return groups.contains { sortKeys.keeps($0.change.entity) }
            || touched.contains { sortKeys.keeps($0.key.entity) }
    }

    /// Leaves out of the touched objects those that are told of as new or gone.
    func dropTouched(newOrGone objects: SavedObjects) {
        if !touched.isEmpty { touched = touched.filter { !objects.isNewOrGone($0.key) } }
    }

    /// Objects that the request did not delete itself, and that are gone, by leaf entity.
    var alsoDeletedGroups: [DeleteGroup] {
        alsoDeleted.isEmpty ? [] : alsoDeleted.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The rows of the objects that the client must read again.
    func refreshedRows() throws(StoreError) -> [RowBatch] {
        guard !refreshed.isEmpty else { return [] }
        let groups = Dictionary(grouping: refreshed, by: \.entity).sorted { $0.key < $1.key }
        var batches: [RowBatch] = []
        for (entity, objects) in groups {
            let plan = try writer.plan(entity)
            let batch = try translating { () throws(SQLiteError) in
                var reader = try StoredRow(plan, on: writer.connection)
                for object in objects.sorted() { _ = try reader.append(object.key) }
                return reader.rows()
            }
            if batch.rowCount > 0 { batches.append(batch) }
        }
        return batches
    }
}
