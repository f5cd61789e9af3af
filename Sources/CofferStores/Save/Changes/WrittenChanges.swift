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
    /// Deleted objects that are in no group yet, by leaf entity.
    private var deletedKeys: [Int: [Int64]] = [:]
    /// Objects whose to-many relationships changed with another object's row, or whose derived attributes
    /// were changed by triggers.
    private(set) var touched: [LeafKey: Set<Int>] = [:]
    /// The new versions of touched objects, as far as nothing else of them was written.
    var raised: [LeafKey: UInt32] = [:]
    /// Objects that only have another place in an order, with the marks of these orders: history alone tells
    /// of them.
    private(set) var moved: [LeafKey: Set<Int>] = [:]
    /// Objects that the client must read again.
    private(set) var refreshed: Set<LeafKey> = []
    /// Objects that are gone although the request did not delete them itself.
    private var alsoDeleted: [Int: DeleteGroup] = [:]
    /// The groups of changed ends that follow from other changes, as far as they can still grow.
    var writtenEnds = WrittenEnds()
    /// Whether a batch operation is executed: no client waits for an answer about its single objects, and all
    /// clients learn of them by a push.
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

    /// Records that a to-many relationship of an object changed; what a request says of former owners may be
    /// nonsense.
    func touch(_ object: LeafKey, _ property: Int) {
        let entities = writer.file.schema.entities
        guard entities.indices.contains(object.entity), let stored = entities[object.entity],
            stored.columns.indices.contains(property)
        else { return }
        touched[object, default: []].insert(property)
    }

    /// Records that an object has another place in the order with `mark`.
    func noteMove(of object: LeafKey, _ mark: Int) { moved[object, default: []].insert(mark) }

    /// Lets the client read an object again.
    func refresh(_ object: LeafKey) {
        if !isBatchRunning { refreshed.insert(object) }
    }

    /// Adds an object that was deleted, with the values that history preserves.
    func addDelete(of object: LeafKey, _ plan: EntityPlan, preserved: [HistoryWriter.Value]) {
        deletedKeys[object.entity, default: []].append(object.key)
        if !plan.history.preserved.isEmpty {
            tombstones[object.entity, default: []].append(.init(key: object.key, values: preserved))
        }
    }

    /// Reports an object to the client that is gone although the client did not delete it.
    func addAlsoDeleted(_ object: LeafKey, version: UInt32) {
        if isBatchRunning { return }
        alsoDeleted[
            object.entity, default: DeleteGroup(entity: object.entity, primaryKeys: [], versions: [])
        ].primaryKeys.append(object.key)
        alsoDeleted[object.entity]?.versions.append(version)
    }

    /// Drops the values of batch updates, in groups from `first` on.
    ///
    /// The values of a million objects are too many to send: clients that hold some of the objects read them.
    func dropValues(from first: Int) {
        for place in first..<groups.count { groups[place].change.columns = [] }
    }

    /// Puts the objects that were deleted since the last call behind the other changes.
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

    /// Removes those touched or moved objects that are reported as new or deleted.
    func dropTouched(newOrGone objects: SavedObjects) {
        if !touched.isEmpty { touched = touched.filter { !objects.isNewOrGone($0.key) } }
        if !moved.isEmpty { moved = moved.filter { !objects.isNewOrGone($0.key) } }
    }

    /// Objects that are gone although the request did not delete them itself, by leaf entity.
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
