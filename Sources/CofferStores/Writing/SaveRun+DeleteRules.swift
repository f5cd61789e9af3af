internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// A deny rule that holds as long as objects at the other end are there.
struct Denial {
    var object: LeafKey
    var property: Int
    /// The other object of a to-one relationship.
    var other: LeafKey?
}

/// What a rule does to an object: its to-one relationship becomes null, or it is deleted too.
enum PostponedRule {
    case nullify(LeafKey, EntityPlan.Inverse)
    case cascade(LeafKey)
}

extension SaveRun {
    /// Does what the relationships of a deleted object demand of the objects at their other ends.
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
            switch relationship.deleteRule {
            case .noAction: continue
            case .deny:
                denials.append(
                    Denial(
                        object: plan.object(key), property: property.index, other: target
                    ))
            case .nullify:
                try release(try others(of: key, property, plan), from: key, property, plan)
            case .cascade:
                let others = try others(of: key, property, plan) + (target.map { [$0] } ?? [])
                try cascade(to: others)
                if case .manyToMany = property.stored {
                    try release(others, from: key, property, plan)
                }
            }
        }
    }

    /// Does what was put off for objects that the request meant to delete; those that it deleted need nothing.
    mutating func apply(_ rule: PostponedRule) throws(StoreError) {
        switch rule {
        case .nullify(let object, let inverse): try nullify(object, inverse)
        case .cascade(let object): try cascade(to: [object])
        }
    }

    private mutating func cascade(to others: [LeafKey]) throws(StoreError) {
        for other in others {
            let root = writer.file.schema.model.entities[other.entity].rootIndex
            let place = RowKey(root: root, key: other.key)
            if objects.isDeleted(place) { continue }
            if objects.isToBeDeleted(place) {
                postponed.append(.cascade(other))
                continue
            }
            try count()
            worklist.append((other, nil))
        }
    }

    private mutating func count() throws(StoreError) {
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
        let found = try translating { () throws(SQLiteError) -> [(Int64, Int64)] in
            let query = try plan.statement(.referrers(property.index), on: connection) { sql }
            try query.bind(key, at: 1)
            var found: [(Int64, Int64)] = []
            while try query.step() { found.append((query.int64(0), query.int64(1))) }
            return found
        }
        let ends = objects.ends(of: property)
        return try found.map { key, number throws(StoreError) in
            guard let entity = writer.file.schema.entity(numbered: Int(number)), ends.contains(entity.index)
            else {
                throw .damaged(
                    path: writer.file.path,
                    detail: "a row of the entity number \(number) is in '\(plan.name).\(property.name)'")
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

    /// Lets go: to-one inverses become null, memberships end.
    private mutating func release(
        _ others: [LeafKey], from key: Int64, _ property: EntityPlan.Property, _ plan: EntityPlan
    ) throws(StoreError) {
        if case .manyToMany(let table, let own, let other, _, _) = property.stored {
            try translating { () throws(SQLiteError) in
                let statement = try plan.statement(.removeMembers(property.index), on: connection) {
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
        guard let inverse = property.inverse, !inverse.isToMany else { return }
        for other in others { try nullify(other, inverse) }
    }

    /// Takes the one object at the other end away from `other`.
    mutating func nullify(
        _ other: LeafKey, _ inverse: EntityPlan.Inverse, isRule: Bool = true
    ) throws(StoreError) {
        let plan = try writer.plan(other.entity)
        let place = plan.row(other.key)
        if objects.isDeleted(place) { return }
        if objects.isToBeDeleted(place) { return postponed.append(.nullify(other, inverse)) }
        guard let property = plan.end(inverse),
            case .toOne(let column, let entityColumn, _) = property.stored
        else { return }
        if isRule { try count() }
        if inverse.isRequired {
            let what = isRule ? "the delete" : "the save"
            outcome.fail(
                inserted.reference(to: other), property: property.name, .required,
                "'\(plan.name).\(property.name)' must have a value, and \(what) would take it")
        }
        try writeEnd(property, of: plan, other) { [connection] () throws(SQLiteError) in
            let statement = try plan.statement(.nullify(property.index), on: connection) {
                let columns = [column, entityColumn, property.orderColumn].compactMap(\.self)
                return "UPDATE \(plan.entity.table) SET " + columns.map { $0 + " = NULL, " }.joined()
                    + "Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1 RETURNING Z_OPT"
            }
            try statement.bind(other.key, at: 1)
            return statement
        }
    }

    /// Looks at deny rules when all deletes are done: objects deleted in the same save deny nothing.
    mutating func checkDenials() throws(StoreError) {
        for denial in denials {
            let plan = try writer.plan(denial.object.entity)
            guard let property = plan.properties[denial.property] else { continue }
            var others = try others(of: denial.object.key, property, plan)
            if let other = denial.other {
                if !objects.isDeleted(other) { others.append(other) }
            }
            if others.isEmpty { continue }
            outcome.fail(
                inserted.reference(to: denial.object), property: property.name, .deleteDenied,
                "'\(plan.name).\(property.name)' has objects, and denies the delete")
        }
    }
}
