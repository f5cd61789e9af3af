internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// A deny rule that forbids a delete as long as there are objects at the other end.
struct Denial {
    var object: LeafKey
    var property: Int
    /// The other object of a to-one relationship.
    var other: LeafKey?
}

/// What a rule does to an object: set its to-one relationship to null, or delete it too.
enum PostponedRule {
    case nullify(LeafKey, EntityPlan.Inverse)
    case cascade(LeafKey)
}

extension DeletePass {
    /// Applies the delete rules of a deleted object's relationships to the objects at their other ends.
    mutating func applyRules(
        of plan: EntityPlan, _ key: Int64, _ references: [Int: LeafKey]
    ) throws(StoreError) {
        for property in plan.properties.compactMap(\.self) {
            guard let relationship = property.relationship else { continue }
            var target: LeafKey?
            if let reference = references[property.index] { target = try objects.stored(reference, property) }
            if let target, let inverse = property.inverse, inverse.isToMany {
                changes.touch(target, inverse.property)
            }
            switch rule(of: relationship, at: PairEnd(object: plan.row(key), property: property.index)) {
            case .noAction: continue
            case .deny:
                denials.append(
                    Denial(object: plan.object(key), property: property.index, other: target))
            case .nullify:
                try release(try others(of: key, property, plan), from: key, in: property, of: plan)
            case .cascade:
                let others = try others(of: key, property, plan) + (target.map { [$0] } ?? [])
                try cascade(to: others)
                if case .manyToMany = property.stored {
                    try release(others, from: key, in: property, of: plan)
                }
            }
        }
        for place in plan.looseReferences.indices { try releaseNamers(of: key, place, plan) }
    }

    /// Clears the relationships without inverse that lead to a deleted object: no rule is told for those, and
    /// they would lead nowhere.
    private mutating func releaseNamers(
        of key: Int64, _ place: Int, _ plan: EntityPlan
    ) throws(StoreError) {
        let reference = plan.looseReferences[place]
        let namers = try found(by: .namers(place), for: key, plan, among: reference.end.owners) {
            "SELECT Z_PK, Z_ENT FROM \(reference.table) WHERE \(reference.column) = ?1"
        }
        for namer in namers { try nullify(namer, reference.end) }
    }

    private func rule(of relationship: RelationshipDescription, at end: PairEnd) -> DeleteRule {
        if !appliesRules { return .nullify }
        return !detached.isEmpty && detached.contains(end) ? .nullify : relationship.deleteRule
    }

    /// Applies the rules that were postponed for objects that the request was to delete, as far as these were
    /// not deleted.
    mutating func apply(_ rule: PostponedRule) throws(StoreError) {
        switch rule {
        case .nullify(let object, let inverse): try nullify(object, inverse)
        case .cascade(let object): try cascade(to: [object])
        }
    }

    private mutating func cascade(to others: [LeafKey]) throws(StoreError) {
        for other in others {
            let row = other.row(in: writer.file.schema.model)
            if objects.isDeleted(row) { continue }
            if objects.isToBeDeleted(row) {
                postponed.append(.cascade(other))
                continue
            }
            try countRuleObject()
            worklist.append(Item(object: other))
        }
    }

    private mutating func countRuleObject() throws(StoreError) {
        ruleObjects += 1
        guard ruleObjects <= Limits.deleteRuleObjects else {
            throw .tooLarge("delete rules reach more than \(Limits.deleteRuleObjects) objects")
        }
    }

    /// The objects that refer to a deleted one through the inverse of `property`, or by membership.
    private func others(
        of key: Int64, _ property: EntityPlan.Property, _ plan: EntityPlan
    ) throws(StoreError) -> [LeafKey] {
        guard let sql = othersQuery(property) else { return [] }
        let ends = objects.ends(of: property)
        return try found(by: .referrers(property.index), for: key, plan, among: ends) { sql }
    }

    /// The objects that a query finds for a key, which are of some entities only.
    private func found(
        by use: EntityPlan.Use, for key: Int64, _ plan: EntityPlan, among entities: Range<Int>,
        _ sql: () -> String
    ) throws(StoreError) -> [LeafKey] {
        let found = try translating { () throws(SQLiteError) -> [(Int64, Int64)] in
            let query = try plan.statement(use, on: writer.connection, sql)
            try query.bind(key, at: 1)
            var found: [(Int64, Int64)] = []
            while try query.step() { found.append((query.int64(0), query.int64(1))) }
            return found
        }
        return try found.map { key, number throws(StoreError) in
            guard let entity = writer.file.schema.entity(numbered: Int(number)),
                entities.contains(entity.index)
            else {
                throw .damaged(
                    path: writer.file.path,
                    detail: "a row of the entity number \(number) names an object of '\(plan.name)'")
            }
            return LeafKey(entity: entity.index, key: key)
        }
    }

    private func othersQuery(_ property: EntityPlan.Property) -> String? {
        switch property.stored {
        case .toMany(let table, let foreignKey, _, _, _):
            return "SELECT Z_PK, Z_ENT FROM \(table) WHERE \(foreignKey) = ?1"
        case .toOne(_, _, let destination):
            guard let inverse = property.inverse, !inverse.isToMany,
                let other = writer.file.schema.entities[destination],
                case .toOne(let column, _, _) = other.columns[inverse.property]
            else { return nil }
            return "SELECT Z_PK, Z_ENT FROM \(other.table) WHERE \(column) = ?1"
        case .manyToMany(let table, let own, let other, _, let destination):
            let model = writer.file.schema.model
            let target = "Z" + model.entities[destination].rootName.uppercased()
            return
                "SELECT t.Z_PK, t.Z_ENT FROM \(table) j JOIN \(target) t ON t.Z_PK = j.\(other) WHERE j.\(own) = ?1"
        case .attribute, .unsupported: return nil
        }
    }

    /// Separates others from a deleted object: to-one inverses become null, memberships end.
    private mutating func release(
        _ others: [LeafKey], from key: Int64, in property: EntityPlan.Property, of plan: EntityPlan
    ) throws(StoreError) {
        if case .manyToMany(let table, let own, let other, _, _) = property.stored {
            try translating { () throws(SQLiteError) in
                let statement = try plan.statement(.removeMembers(property.index), on: writer.connection) {
                    "DELETE FROM \(table) WHERE \(own) = ?1" + (own == "REFLEXIVE" ? " OR \(other) = ?1" : "")
                }
                try statement.bind(key, at: 1)
                try statement.run()
            }
            if let inverse = property.inverse {
                for other in others { changes.touch(other, inverse.property) }
            }
            return
        }
        guard let inverse = property.inverse else { return try releaseRows(of: key, in: property, of: plan) }
        if inverse.isToMany { return }
        for other in others { try nullify(other, inverse) }
    }

    /// Clears the owner of rows that name a deleted object as theirs.
    private func releaseRows(
        of key: Int64, in property: EntityPlan.Property, of plan: EntityPlan
    ) throws(StoreError) {
        guard case .toMany(let table, let column, _, let order, _) = property.stored else { return }
        try translating { () throws(SQLiteError) in
            let statement = try plan.statement(.removeMembers(property.index), on: writer.connection) {
                "UPDATE \(table) SET \(column) = NULL" + (order.map { ", \($0) = NULL" } ?? "")
                    + " WHERE \(column) = ?1"
            }
            try statement.bind(key, at: 1)
            try statement.run()
        }
    }

    /// Touches the owners that had a deleted object in a relationship without inverse.
    func touchOwners(_ owners: [Int: Int64], of plan: EntityPlan) throws(StoreError) {
        for (place, key) in owners.sorted(by: { $0.key < $1.key }) {
            let owner = plan.ownerKeys[place]
            guard let entity = try objects.leaf(of: RowKey(root: owner.root, key: key)), entity >= 0 else {
                continue
            }
            let object = LeafKey(entity: entity, key: key)
            if !objects.isDeleted(object) { changes.touch(object, owner.property) }
        }
    }

    /// Clears `other`'s end of a relationship, where the deleted object was.
    private mutating func nullify(_ other: LeafKey, _ inverse: EntityPlan.Inverse) throws(StoreError) {
        let row = other.row(in: writer.file.schema.model)
        if objects.isDeleted(row) { return }
        if objects.isToBeDeleted(row) { return postponed.append(.nullify(other, inverse)) }
        try countRuleObject()
        try EndWriter(state: state).nullify(other, inverse, isRule: true)
    }

    /// Checks deny rules when all deletes are done: objects deleted in the same save do not forbid anything.
    func checkDenials() throws(StoreError) {
        for denial in denials {
            let plan = try writer.plan(denial.object.entity)
            guard let property = plan.properties[denial.property] else { continue }
            var others = try others(of: denial.object.key, property, plan)
            if let other = denial.other, !objects.isDeleted(other) { others.append(other) }
            if others.isEmpty { continue }
            outcome.fail(
                inserted.reference(to: denial.object), property: property.name, reason: .deleteDenied,
                "'\(plan.name).\(property.name)' has objects, and its rule denies the delete")
        }
    }
}
