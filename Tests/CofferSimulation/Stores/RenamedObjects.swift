internal import CofferMerge

// Names of objects change when a fold gives them, and when a store gives rows their place.

extension SeenObject {
    /// The object with the names of objects replaced.
    func renaming(_ name: (RecordID) -> RecordID) -> SeenObject {
        var object = SeenObject(name(id), entity: entity, records: [name(id)])
        (object.values, object.largeValues) = (values, largeValues)
        object.references = references.mapValues(name)
        object.members = members.mapValues { Set($0.map(name)) }
        object.orders = orders.mapValues { $0.map(name) }
        return object
    }
}

extension LocalEdit.Change {
    /// The change with the names of objects replaced.
    func renaming(_ name: (RecordID) -> RecordID) -> LocalEdit.Change {
        switch self {
        case .insert(let record, let entity): .insert(name(record), entity: entity)
        case .set(let record, let property, let cell):
            .set(
                name(record), property,
                cell.record.map { Cell(.record(name($0)), isDefaulted: cell.isDefaulted) } ?? cell)
        case .delete(let record, let property): .delete(name(record), through: property)
        case .pair(let record, let property, let other, let isIn):
            .pair(name(record), property, name(other), isIn: isIn)
        case .order(let record, let property, let members):
            .order(name(record), property, members.map(name))
        }
    }
}

extension Save {
    /// What the save makes of rows, and its changes, if the object that it inserts has another name.
    func renaming(to row: RecordID?) -> (rows: Rows, changes: [LocalEdit.Change]) {
        let inserted = inserted
        let name = { (id: RecordID) in id == inserted ? row ?? id : id }
        var renamed = Rows()
        for object in rows.objects.values { renamed.objects[name(object.id)] = object.renaming(name) }
        return (renamed, changes.map { $0.renaming(name) })
    }
}

extension Rows {
    /// The first difference from other rows that an application would see; `nil` if there is none.
    func difference(from others: [RecordID: SeenObject]) -> String? {
        for name in Set(objects.keys).union(others.keys).sorted() {
            switch (objects[name], others[name]) {
            case (let row?, let other?):
                if !row.isAlike(other) { return "\(name.label) \(row.difference(from: other))" }
            case (_?, nil): return "\(name.label) is missing"
            case (nil, _?): return "\(name.label) is too much"
            case (nil, nil): continue
            }
        }
        return nil
    }
}
