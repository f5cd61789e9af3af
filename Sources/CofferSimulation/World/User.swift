internal import CofferMerge
internal import CofferModel

/// Somebody who edits what he sees, each time by a number of his own.
struct User {
    var draw: Draw
    let model: MergeModel
    /// Of which entities he inserts objects.
    let entities: [String]
    /// Whether his store has the second version of the model.
    var isMigrated = true

    /// Makes an edit of a kind.
    ///
    /// - Parameters:
    ///   - kind: What is done.
    ///   - rows: What is seen.
    ///   - fresh: The id of an object that is inserted.
    ///   - returning: What was deleted here and may be brought back, with the names that it would have.
    /// - Returns: `nil` where there is nothing to do it to, or a store would refuse it.
    mutating func edit(
        _ kind: EditKind, _ rows: Rows, fresh: RecordID,
        returning: [(name: RecordID, object: SeenObject)]
    ) -> Save? {
        var save = Save(rows, model: model, isMigrated: isMigrated)
        guard make(kind, in: rows, fresh: fresh, returning: returning, in: &save), !save.changes.isEmpty,
            !save.isRefused
        else {
            return nil
        }
        return save
    }

    private mutating func make(
        _ kind: EditKind, in rows: Rows, fresh: RecordID,
        returning: [(name: RecordID, object: SeenObject)], in save: inout Save
    ) -> Bool {
        switch kind {
        case .insert: return insert(rows, fresh, in: &save)
        case .attribute, .key: return set(kind == .key, rows, in: &save)
        case .link, .unlink: return link(kind == .link, rows, in: &save)
        case .delete:
            guard let name = draw.pick(rows.objects.keys.sorted()) else { return false }
            save.delete(name)
        case .tag, .untag: return tag(kind == .tag, rows, in: &save)
        case .marry:
            let people = rows.names(of: "Person", "Player")
            guard let one = draw.pick(people), let other = draw.pick(people.filter { $0 != one }) else {
                return false
            }
            save.link(one, "spouse", to: other)
        case .divorce:
            guard
                let one = draw.pick(
                    rows.names(of: "Person", "Player").filter {
                        rows.objects[$0]?.references["spouse"] != nil
                    })
            else { return false }
            save.link(one, "spouse", to: nil)
        case .reorder: return reorder(rows, in: &save)
        case .bringBack:
            guard let (name, object) = draw.pick(returning) else { return false }
            // What it is labelled is told with its name.
            let values = object.values.filter { $0.key != SimulatedModel.laterAttribute }
            save.insert(
                name, object.entity, values: values,
                references: object.references.filter { rows.objects[$0.value] != nil })
        }
        return true
    }

    private mutating func value(isKey: Bool) -> AttributeValue {
        if draw.chance(25) { return .null }
        return .string(draw.pick(isKey ? ["a", "b"] : ["x", "y", "z"]) ?? "x")
    }

    private func isKey(_ property: String, of entity: MergeEntity) -> Bool {
        model.constraints.contains {
            $0.family.contains(entity.index) && $0.properties.contains(property)
        }
    }

    private mutating func insert(_ rows: Rows, _ fresh: RecordID, in save: inout Save) -> Bool {
        guard let entity = draw.pick(entities).flatMap({ model.entities[$0] }) else { return false }
        var values: PropertyMap<AttributeValue> = [:]
        for property in entity.attributes.keys.sorted()
        where save.hasAttribute(property) && draw.chance(70) {
            values[property] = value(isKey: isKey(property, of: entity))
        }
        var references: PropertyMap<RecordID> = [:]
        for (property, relationship) in entity.references.sorted(by: { $0.key < $1.key })
        where draw.chance(property == "spouse" ? 20 : 70) {
            references[property] = draw.pick(rows.names(at: relationship, model: model))
        }
        save.insert(fresh, entity.name, values: values, references: references)
        return true
    }

    private mutating func set(_ isOfKey: Bool, _ rows: Rows, in save: inout Save) -> Bool {
        guard let object = draw.pick(rows.objects.values.sorted { $0.id < $1.id }),
            let entity = model.entities[object.entity],
            let property = draw.pick(
                entity.attributes.keys.sorted().filter {
                    isKey($0, of: entity) == isOfKey && save.hasAttribute($0)
                })
        else { return false }
        save.set(object.id, property, to: value(isKey: isOfKey))
        return true
    }

    private mutating func link(_ isOn: Bool, _ rows: Rows, in save: inout Save) -> Bool {
        let links = rows.objects.values.sorted { $0.id < $1.id }.flatMap { object in
            (model.entities[object.entity]?.references ?? [:]).sorted { $0.key < $1.key }
                .filter { $0.key != "spouse" && (isOn || object.references[$0.key] != nil) }
                .map { (object: object.id, property: $0.key, relationship: $0.value) }
        }
        guard let link = draw.pick(links) else { return false }
        let target = isOn ? draw.pick(rows.names(at: link.relationship, model: model)) : nil
        if isOn && target == nil { return false }
        save.link(link.object, link.property, to: target)
        return true
    }

    private mutating func tag(_ isOn: Bool, _ rows: Rows, in save: inout Save) -> Bool {
        let isNear = draw.chance(25)
        let owners = rows.names(of: isNear ? "Tag" : "Item")
        let property = isNear ? "near" : "tags"
        guard let owner = draw.pick(owners) else { return false }
        let there = rows.objects[owner]?.members[property] ?? []
        guard let tag = draw.pick(rows.names(of: "Tag").filter { there.contains($0) != isOn }) else {
            return false
        }
        save.pair(owner, property, with: tag, isIn: isOn)
        return true
    }

    private mutating func reorder(_ rows: Rows, in save: inout Save) -> Bool {
        let orders = rows.objects.values.sorted { $0.id < $1.id }.flatMap { object in
            object.orders.sorted { $0.key < $1.key }.filter { $0.value.count > 1 }
                .map { (object.id, $0.key, $0.value) }
        }
        guard let (owner, property, members) = draw.pick(orders) else { return false }
        var moved = members
        let member = moved.remove(at: draw.below(moved.count))
        moved.insert(member, at: draw.below(moved.count + 1))
        if moved == members { return false }
        save.order(owner, property, as: moved)
        return true
    }
}
