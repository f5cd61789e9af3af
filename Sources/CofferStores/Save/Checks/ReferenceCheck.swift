internal import CofferModel
internal import CofferWire

/// Checks that the objects which a request names at the other ends of relationships exist, and that their
/// entities fit.
struct ReferenceCheck: SavePass {
    let state: SaveState

    /// Checks all objects named by to-one relationships of inserts.
    func checkInserts(_ columns: ResolvedColumns) throws(StoreError) {
        for (group, columns) in columns.inserts.enumerated() {
            let firstKey = inserted.firstKeys[group]
            let plan = try writer.plan(inserted.groups[group].entity)
            try check(columns, of: plan, isUpdate: false) { firstKey + Int64($0) }
        }
    }

    /// Checks all objects named by to-one relationships of updates.
    func checkUpdates(_ groups: [UpdateGroup], _ columns: ResolvedColumns) throws(StoreError) {
        for (group, columns) in columns.updates.enumerated() {
            let keys = groups[group].primaryKeys
            try check(columns, of: try writer.plan(groups[group].entity), isUpdate: true) { keys[$0] }
        }
    }

    /// Checks all objects that columns name; `key` is called for rows that name a missing one.
    ///
    /// An update may name an object that is brought back, or name one in a property that is not written in
    /// the end.
    func check(
        _ columns: [Column], of plan: EntityPlan, isUpdate: Bool, key: (Int) -> Int64
    ) throws(StoreError) {
        for column in columns {
            guard case .references(let keys, let leafs) = column.values else { continue }
            let property = try plan.property(column.property)
            for row in keys.indices where !column.isNull(row) {
                let end = LeafKey(entity: Int(leafs[row]), key: keys[row])
                if try exists(end, at: property, of: plan) { continue }
                let key = key(row)
                if isUpdate, objects.isProtected(plan.row(key), property.index) || mayComeBack(end) {
                    continue
                }
                failUnknown(property, of: plan, key)
            }
        }
    }

    /// Whether the objects that a row's values name exist, if that was not checked before or may have changed
    /// since.
    ///
    /// A missing object is added to the outcome.
    func endsExist(_ columns: [Column], row: Int, of plan: EntityPlan, key: Int64) throws(StoreError)
        -> Bool
    {
        for column in columns {
            guard let end = column.end(at: row) else { continue }
            let property = try plan.property(column.property)
            if try exists(end, at: property, of: plan) || mayComeBack(end) { continue }
            failUnknown(property, of: plan, key)
            return false
        }
        return true
    }

    /// A row's values without the objects that are gone: their delete rules have ended the relationships to
    /// them.
    ///
    /// Objects that the request brings back as well, the row's own object among them, count as existing.
    func presentEnds(_ columns: [Column], _ row: Int, of plan: EntityPlan) throws(StoreError) -> [Column] {
        var columns = columns
        for place in columns.indices {
            guard let end = columns[place].end(at: row) else { continue }
            let property = try plan.property(columns[place].property)
            if try exists(end, at: property, of: plan) || mayComeBack(end) { continue }
            // Every reader checks for null first, and setting it copies less than the whole column would.
            columns[place].setNull(row)
        }
        return columns
    }

    /// An object named by key or place in a change of a relationship of `plan`; `nil`, with a failure added,
    /// if it does not exist.
    ///
    /// It must be in the tree of `root`, and of `entity` unless that is `nil`. `owner` is the object whose
    /// relationship changes; `nil` if the named object is the owner itself.
    func member(
        _ reference: Int64, inTreeOf root: Int, entity: Int?, in property: EntityPlan.Property,
        of plan: EntityPlan, owner: Int64?
    ) throws(StoreError) -> LeafKey? {
        let object: LeafKey
        if reference < 0 {
            object = try inserted.object(namedBy: reference)
        } else {
            guard let leaf = try objects.leaf(of: RowKey(root: root, key: reference)) else {
                failUnknown(property, of: plan, owner ?? reference)
                return nil
            }
            object = LeafKey(entity: leaf, key: reference)
        }
        let model = writer.file.schema.model
        guard model.entities.indices.contains(object.entity), model.entities[object.entity].rootIndex == root,
            entity == nil || entity == object.entity
        else {
            throw .wrongType(
                entity: plan.name, property: property.name, detail: "it names an object of another entity")
        }
        return object
    }

    /// Whether the request changes a deleted object that the policy then brings back, or refuses as a
    /// conflict.
    private func mayComeBack(_ object: LeafKey) -> Bool {
        mergeRule.decide(.contested) == .wanted && objects.isUpdated(object)
    }

    /// Whether the object exists; if its entity does not fit the destination, the request is wrong.
    private func exists(
        _ end: LeafKey, at property: EntityPlan.Property, of plan: EntityPlan
    ) throws(StoreError) -> Bool {
        guard property.destinations.contains(end.entity) else {
            throw .wrongType(
                entity: plan.name, property: property.name, detail: "it names an object of another entity")
        }
        return try objects.exists(end)
    }

    private func failUnknown(_ property: EntityPlan.Property, of plan: EntityPlan, _ key: Int64) {
        outcome.fail(
            inserted.reference(to: plan.object(key)), property: property.name, reason: .unknownObject,
            "'\(plan.name).\(property.name)' names an object that does not exist")
    }
}

extension Column {
    /// The object that row `row` names; `nil` if it names none.
    func end(at row: Int) -> LeafKey? {
        reference(at: row).map { LeafKey(entity: $0.entity, key: $0.key) }
    }
}
