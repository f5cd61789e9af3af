internal import CofferWire

// To-many relationships that change with the to-one relationships of written rows, which are their inverses.

extension WrittenChanges {
    /// Touches the owners that the rows of a group have now.
    func touchOwners(_ statement: ColumnStatement, _ columns: [Column], requested: [Column]) {
        for part in statement.touching {
            let property = statement.parts[part].property
            guard case .references(let keys, _) = requested[part].values else { continue }
            for row in keys.indices where keys[row] > 0 { touchOwner(property, in: columns[part], row: row) }
        }
    }

    /// Touches the owners that one row has now.
    func touchOwners(_ statement: ColumnStatement, _ columns: [Column], row: Int) {
        for part in statement.touching {
            touchOwner(statement.parts[part].property, in: columns[part], row: row)
        }
    }

    private func touchOwner(_ property: EntityPlan.Property, in column: Column, row: Int) {
        guard let inverse = property.inverse, inverse.isToMany, !column.isNull(row),
            case .references(let keys, let entities) = column.values
        else { return }
        touch(LeafKey(entity: Int(entities[row]), key: keys[row]), inverse.property)
    }
}
