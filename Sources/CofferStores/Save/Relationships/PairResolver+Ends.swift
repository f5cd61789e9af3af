internal import CofferSQLite
internal import CofferWire

extension PairResolver {
    /// Remembers the one-to-one relationships that a row is about to get by itself.
    mutating func willWrite(_ columns: [Column], of plan: EntityPlan, key: Int64) throws(SQLiteError) {
        for column in columns {
            guard let property = plan.properties[column.property], property.isPair else { continue }
            written.append(
                Written(
                    object: plan.object(key), property: property,
                    former: try writer.storedEnd(property, of: plan, key)))
        }
    }

    /// Makes the other ends of pairs that were written by themselves agree with them.
    mutating func writeOtherEnds() throws(StoreError) {
        changes.closeEnds()
        if written.isEmpty { return }
        let written = written
        self.written = []
        for end in written {
            let plan = try writer.plan(end.object.entity)
            if objects.isDeleted(end.object) { continue }
            guard let inverse = end.property.inverse else { continue }
            let now = try translating { () throws(SQLiteError) in
                try writer.storedEnd(end.property, of: plan, end.object.key)
            }
            if let now, let other = try objects.stored(now, end.property) {
                try pair(other, inverse, with: end.object)
            }
            if let former = end.former, former.key != now?.key,
                let other = try objects.stored(former, end.property)
            {
                try part(other, inverse, from: end.object)
            }
        }
    }

    /// Makes `object` the one at `other`'s end, and clears the end of its former partner.
    private func pair(
        _ other: LeafKey, _ inverse: EntityPlan.Inverse, with object: LeafKey
    ) throws(StoreError) {
        let plan = try writer.plan(other.entity)
        guard let end = plan.end(inverse), let back = end.inverse, back.owners.contains(object.entity) else {
            return
        }
        let present = try translating { () throws(SQLiteError) in
            try writer.storedEnd(end, of: plan, other.key)
        }
        if present?.key == object.key { return }
        try EndWriter(state: state).set(end, of: plan, other, to: object)
        if let present, let former = try objects.stored(present, end) {
            try part(former, back, from: other)
        }
    }

    /// Clears `other`'s end if it holds `object`.
    private func part(
        _ other: LeafKey, _ inverse: EntityPlan.Inverse, from object: LeafKey
    ) throws(StoreError) {
        let plan = try writer.plan(other.entity)
        guard let end = plan.end(inverse) else { return }
        let present = try translating { () throws(SQLiteError) in
            try writer.storedEnd(end, of: plan, other.key)
        }
        guard present?.key == object.key, !objects.isDeleted(other) else { return }
        try EndWriter(state: state).nullify(other, inverse, isRule: false)
    }
}

extension EntityPlan.Property {
    /// Whether it is one end of a one-to-one relationship, of which both rows store a half.
    var isPair: Bool {
        if case .toOne = stored, let inverse { !inverse.isToMany } else { false }
    }
}
