internal import CofferMerge
internal import CofferModel

/// A save that its author may take back.
struct FormerSave {
    let changes: [LocalEdit.Change]
    /// What the rows held before it.
    let before: Rows

    fileprivate var deleted: [SeenObject] {
        changes.compactMap { if case .delete(let name, _) = $0 { before.objects[name] } else { nil } }
    }
}

extension Save {
    /// Takes a former save back, as far as what it is about is there.
    ///
    /// What it deleted comes back, what it set is set to what it was, and what it inserted is deleted.
    ///
    /// - Parameters:
    ///   - former: The save.
    ///   - name: What an object is called now; `nil` if it cannot come back.
    mutating func takeBack(_ former: FormerSave, name: (RecordID) -> RecordID?) {
        let back = bringBack(former.deleted.sorted { $0.id < $1.id }, name)
        linkAgain(to: back, former, name)
        for change in former.changes.reversed() { takeBack(change, of: former, named: name) }
        for case .insert(let id, _) in former.changes {
            if let id = name(id), rows.objects[id] != nil { delete(id) }
        }
        for case .order(let owner, let property, _) in former.changes {
            orderAgain(owner, property, as: former, named: name)
        }
    }

    private mutating func bringBack(
        _ objects: [SeenObject], _ name: (RecordID) -> RecordID?
    ) -> [SeenObject] {
        let back = objects.filter { object in name(object.id).map { rows.objects[$0] == nil } ?? false }
        for object in back {
            guard let id = name(object.id), rows.objects[id] == nil else { continue }
            var references: PropertyMap<RecordID> = [:]
            for (property, target) in object.references {
                if let target = name(target), rows.objects[target] != nil { references[property] = target }
            }
            // A label that was computed is not told by a user.
            let values = object.contents(besides: SimulatedModel.laterAttribute)
            insert(id, object.entity, values: values, references: references)
        }
        return back
    }

    /// Links what came back with what else came back, and with what had named it.
    private mutating func linkAgain(
        to back: [SeenObject], _ former: FormerSave, _ name: (RecordID) -> RecordID?
    ) {
        let names = Set(back.map(\.id))
        for object in former.before.objects.values.sorted(by: { $0.id < $1.id }) {
            guard let id = name(object.id), rows.objects[id] != nil else { continue }
            for (property, target) in object.references.sorted(by: { $0.key < $1.key })
            where names.contains(target) {
                guard let target = name(target), rows.objects[target] != nil,
                    rows.objects[id]?.references[property] == nil
                else { continue }
                link(id, property, to: target)
            }
            for (property, members) in object.members.sorted(by: { $0.key < $1.key }) {
                for member in members.sorted() where names.contains(member) || names.contains(object.id) {
                    hold(id, property, with: member, isIn: true, named: name)
                }
            }
        }
    }

    private mutating func hold(
        _ id: RecordID, _ property: String, with member: RecordID, isIn: Bool,
        named name: (RecordID) -> RecordID?
    ) {
        guard let member = name(member), rows.objects[member] != nil, let object = rows.objects[id],
            object.members[property]?.contains(member) ?? false != isIn
        else { return }
        pair(id, property, with: member, isIn: isIn)
    }

    private mutating func takeBack(
        _ change: LocalEdit.Change, of former: FormerSave, named name: (RecordID) -> RecordID?
    ) {
        switch change {
        case .insert, .delete, .order: return
        case .set(let record, let property, _):
            guard let old = former.before.objects[record], let id = name(record),
                let object = rows.objects[id], let entity = model.entities[object.entity]
            else { return }
            if entity.references[property] != nil {
                let target = old.references[property].flatMap(name)
                if target == object.references[property] { return }
                if target == nil || rows.objects[target ?? id] != nil { link(id, property, to: target) }
            } else if property != SimulatedModel.laterAttribute, hasAttribute(property),
                object.content(property) != old.content(property)
            {
                set(id, property, to: old.content(property))
            }
        case .pair(let record, let property, let member, _):
            guard let old = former.before.objects[record], let id = name(record) else { return }
            let isIn = old.members[property]?.contains(member) ?? false
            hold(id, property, with: member, isIn: isIn, named: name)
        }
    }

    private mutating func orderAgain(
        _ owner: RecordID, _ property: String, as former: FormerSave, named name: (RecordID) -> RecordID?
    ) {
        guard let id = name(owner), let members = rows.objects[id]?.orders[property] else { return }
        let old = (former.before.objects[owner]?.orders[property] ?? []).compactMap(name)
        let again = old.filter { members.contains($0) } + members.filter { !old.contains($0) }
        if again != members { order(id, property, as: again) }
    }
}
