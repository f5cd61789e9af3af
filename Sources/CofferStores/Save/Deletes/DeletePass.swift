internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Deletes objects, and those that delete rules reach from them.
///
/// Rules are applied in the database, to objects that the request itself neither deletes nor has changed
/// already. Cycles end, since an object is deleted once.
struct DeletePass: SavePass {
    /// An object to delete; `version` is the one that the request has seen, `nil` if a rule demands the
    /// delete.
    struct Item {
        var object: LeafKey
        var version: UInt32?
    }

    let state: SaveState
    /// The objects that are still to be deleted, the next one last.
    var worklist: [Item] = []
    /// The effects of rules on objects that the request deletes itself, in case a policy lets them live.
    var postponed: [PostponedRule] = []
    /// Deny rules to be checked when all deletes are done.
    var denials: [Denial] = []
    /// How many objects rules have reached.
    var ruleObjects = 0
    /// The ends from which the request took what rules would reach, before it deleted their objects.
    var detached: Set<PairEnd> = []

    /// Whether delete rules count; if they do not, every rule acts as Nullify.
    let appliesRules: Bool

    init(_ state: SaveState, appliesRules: Bool) {
        self.state = state
        self.appliesRules = appliesRules
    }

    /// Deletes the objects that the request names.
    mutating func delete(_ groups: [DeleteGroup]) throws(StoreError) {
        if groups.isEmpty { return }
        for group in groups.reversed() {
            for row in group.primaryKeys.indices.reversed() {
                let object = LeafKey(entity: group.entity, key: group.primaryKeys[row])
                worklist.append(Item(object: object, version: group.versions[row]))
            }
            let plan = try writer.plan(group.entity)
            for (row, property) in zip(group.detachedRows, group.detachedProperties) {
                let object = plan.row(group.primaryKeys[Int(row)])
                detached.insert(PairEnd(object: object, property: Int(property)))
            }
        }
        try deleteRequested()
    }

    /// Deletes the objects that a batch delete has found, by leaf entity.
    mutating func deleteFound(_ found: [Int: [Int64]]) throws(StoreError) {
        for (entity, keys) in found.sorted(by: { $0.key > $1.key }) {
            objects.requestDeletes(of: keys, entity)
            for key in keys.reversed() { worklist.append(Item(object: LeafKey(entity: entity, key: key))) }
        }
        try deleteRequested()
    }

    /// Deletes stored objects whose unique values others take.
    mutating func deleteReplaced(_ replaced: [LeafKey]) throws(StoreError) {
        for object in replaced { worklist.append(Item(object: object)) }
        try emptyWorklist()
    }

    /// Deletes the objects that the request names, and then applies rules to those that a policy lets live.
    private mutating func deleteRequested() throws(StoreError) {
        try emptyWorklist()
        objects.didDeleteRequested()
        let rules = postponed
        postponed = []
        for rule in rules { try apply(rule) }
        try emptyWorklist()
    }

    private mutating func emptyWorklist() throws(StoreError) {
        while let item = worklist.popLast() { try delete(item) }
    }

    private mutating func delete(_ item: Item) throws(StoreError) {
        let object = item.object
        let plan = try writer.plan(object.entity)
        if objects.isDeleted(object) { return }
        guard let facts = try translating({ () throws(SQLiteError) in try facts(of: object.key, plan) })
        else {
            return try objects.checkGone(object)  // It was deleted before: what was wanted is so.
        }
        if let version = item.version, version != facts.version,
            try !mayDelete(object, plan, snapshotVersion: version)
        {
            return
        }
        try translating { () throws(SQLiteError) in
            let statement = try plan.statement(.delete, on: writer.connection) {
                "DELETE FROM \(plan.entity.table) WHERE Z_PK = ?1 AND Z_ENT = \(plan.entity.number) AND Z_OPT = ?2"
            }
            try statement.bind(object.key, at: 1)
            try statement.bind(Int64(facts.version), at: 2)
            try statement.run()
            if plan.hasDecimals { try writer.removeDigits(of: object.key, plan) }
        }
        objects.didDelete(object)
        changes.addDelete(of: object, plan, preserved: facts.preserved)
        if item.version == nil { changes.addAlsoDeleted(object, version: facts.version) }
        try applyRules(of: plan, object.key, facts.references)
        try touchOwners(facts.owners, of: plan)
    }

    /// Whether the policy lets the request delete an object that has changed since.
    private func mayDelete(
        _ object: LeafKey, _ plan: EntityPlan, snapshotVersion: UInt32
    ) throws(StoreError) -> Bool {
        if try writer.hasNewSetsAlone(plan, object.key, since: snapshotVersion) { return true }
        switch mergeRule.decide(.contested) {
        case .wanted: return true
        case .stored:
            changes.refresh(object)
            return false
        case .conflict:
            outcome.addConflict(
                object, snapshotVersion: snapshotVersion, stored: try writer.storedRow(plan, object.key))
            return false
        }
    }

    /// What has to be known of a row before it is deleted.
    private struct DeletionFacts {
        var version: UInt32
        /// For each property index the object that a to-one relationship names.
        var references: [Int: LeafKey]
        var preserved: [HistoryWriter.Value]
        /// For each index into the plan's owner keys, the owner that has the row in a relationship without
        /// inverse.
        var owners: [Int: Int64] = [:]
    }

    private func facts(of key: Int64, _ plan: EntityPlan) throws(SQLiteError) -> DeletionFacts? {
        let query = try plan.statement(.deletionFacts, on: writer.connection) {
            var columns = ["Z_OPT"]
            for property in plan.properties.compactMap(\.self) {
                if case .toOne(let column, let entityColumn, _) = property.stored {
                    columns += [column, entityColumn ?? "NULL"]
                }
            }
            columns += plan.history.preserved.map(\.column) + plan.ownerKeys.map(\.column)
            return "SELECT \(columns.joined(separator: ", ")) FROM \(plan.entity.table) "
                + "WHERE Z_PK = ?1 AND Z_ENT = \(plan.entity.number)"
        }
        try query.bind(key, at: 1)
        guard try query.step() else { return nil }
        defer { query.reset() }
        var facts = DeletionFacts(
            version: try writer.version(query), references: [:], preserved: [])
        var column = 1
        for property in plan.properties.compactMap(\.self) {
            guard case .toOne = property.stored else { continue }
            if !query.isNull(column) {
                facts.references[property.index] = property.end(
                    query.int64(column), entityNumber: query.int64(column + 1))
            }
            column += 2
        }
        for _ in plan.history.preserved {
            let place = plan.history.preserved[facts.preserved.count].property
            let value = HistoryWriter.Value(query, column)
            // External files are removed with their object.
            let isGone = plan.properties[place]?.attribute?.allowsExternalStorage ?? false && value.isInFile
            facts.preserved.append(isGone ? .null : value)
            column += 1
        }
        for place in plan.ownerKeys.indices where !query.isNull(column + place) {
            facts.owners[place] = query.int64(column + place)
        }
        return facts
    }
}
