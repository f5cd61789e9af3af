internal import CofferMerge
internal import CofferModel

/// A user who edits what he sees, each time by a number of his own.
struct User {
    var draw: Draw
    let model: MergeModel
    /// Which model that is.
    let kind: SimulatedModel
    /// Of which entities he inserts objects.
    let entities: [String]
    /// Whether his store has the second version of the model.
    var isMigrated = true
    /// Whether he gives the attribute that has another type in the second version only values that it can
    /// have there: a store with others refuses to be migrated.
    var isCareful = false
    /// Chooses what was added later, so that the rest of a schedule stays as it was.
    private var others: Draw

    init(draw: Draw, model: MergeModel, kind: SimulatedModel, entities: [String]) {
        (self.draw, self.model, self.kind, self.entities) = (draw, model, kind, entities)
        others = draw.fork(1)
    }

    /// Makes an edit of a kind.
    ///
    /// - Parameters:
    ///   - kind: What is done.
    ///   - rows: What is seen.
    ///   - fresh: The id of an object that is inserted.
    ///   - returning: What was deleted here and may be brought back, with the names that it would have.
    /// - Returns: `nil` if there is nothing to do it to, or a store would refuse it.
    mutating func edit(
        _ kind: EditKind, _ rows: Rows, fresh: RecordID,
        returning: [(name: RecordID, object: SeenObject)]
    ) -> Save? {
        var save = Save(rows, model: model, isMigrated: isMigrated)
        guard make(kind, in: rows, fresh: fresh, returning: returning, in: &save), !save.changes.isEmpty
        else { return nil }
        // What is brought back gets another name in a store, which edits after it would not know.
        if self.kind == .strict, kind != .bringBack { addEdits(to: &save) }
        return save.isRefused ? nil : save
    }

    /// Edits more of what is there after the first edit, in the same save.
    private mutating func addEdits(to save: inout Save) {
        let kinds = EditKind.allCases.filter { $0 != .insert && $0 != .bringBack }
        while draw.chance(30) {
            var longer = save
            guard let kind = draw.pick(kinds),
                make(kind, in: save.rows, fresh: RecordID(high: 0, low: 0), returning: [], in: &longer),
                !longer.isRefused, !longer.deletesWhatItInserts
            else { continue }
            save = longer
        }
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
        case .marry: return marry(rows, in: &save)
        case .divorce:
            guard let relationship = pickOneToOne() else { return false }
            let property = relationship.name.property
            let married = rows.names(with: relationship, model: model).filter {
                rows.objects[$0]?.references[property] != nil
            }
            guard let one = draw.pick(married) else { return false }
            save.link(one, property, to: nil)
        case .reorder: return reorder(rows, in: &save)
        case .bringBack:
            guard let (name, object) = draw.pick(returning) else { return false }
            // What it is labelled is told with its name.
            save.insert(
                name, object.entity, values: object.contents(besides: SimulatedModel.laterAttribute),
                references: object.references.filter { rows.objects[$0.value] != nil })
        }
        return true
    }

    private mutating func value(
        of property: String, _ attribute: MergeAttribute, isKey: Bool
    ) -> Cell.Content {
        if attribute.isOptional, draw.chance(25) { return .null }
        let values = SimulatedModel.values(of: attribute.type, isKey: isKey)
        let value = draw.pick(values).map { Cell.Content.value($0) } ?? .null
        guard kind == .strict, attribute.type == .string else { return value }
        if isCareful, property == SimulatedModel.retypedAttribute {
            return others.pick(SimulatedModel.numbers).map { .value($0) } ?? value
        }
        if others.chance(20) { return others.pick(SimulatedModel.lookalikes).map { .value($0) } ?? value }
        if !isKey, others.chance(20) { return others.pick(SimulatedModel.digits).map { .value($0) } ?? value }
        if !isKey, others.chance(8) { return others.pick(LongText.values).map { .large($0) } ?? value }
        return value
    }

    private mutating func pickOneToOne() -> MergeRelationship? {
        let found = model.entities.values.flatMap { entity in
            entity.references.values.filter { $0.isOneToOne && $0.name.entity == entity.name }
        }
        .sorted { $0.name < $1.name }
        return found.count == 1 ? found[0] : draw.pick(found)
    }

    /// Has two objects that are there name each other.
    private mutating func marry(_ rows: Rows, in save: inout Save) -> Bool {
        guard let relationship = pickOneToOne(),
            let one = draw.pick(rows.names(with: relationship, model: model)),
            let other = draw.pick(rows.names(at: relationship, model: model).filter { $0 != one })
        else { return false }
        save.link(one, relationship.name.property, to: other)
        return true
    }

    private mutating func insert(_ rows: Rows, _ fresh: RecordID, in save: inout Save) -> Bool {
        guard let entity = draw.pick(entities).flatMap({ model.entities[$0] }) else { return false }
        var values: PropertyMap<Cell.Content> = [:]
        for (property, attribute) in entity.attributes.sorted(by: { $0.key < $1.key })
        where save.hasAttribute(property) && (!attribute.isOptional || draw.chance(70)) {
            values[property] = value(of: property, attribute, isKey: model.isKey(property, of: entity))
        }
        var references: PropertyMap<RecordID> = [:]
        for (property, relationship) in entity.references.sorted(by: { $0.key < $1.key })
        where !relationship.isOptional || draw.chance(relationship.isOneToOne ? 20 : 70) {
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
                    model.isKey($0, of: entity) == isOfKey && save.hasAttribute($0)
                }),
            let attribute = entity.attributes[property]
        else { return false }
        save.set(object.id, property, to: value(of: property, attribute, isKey: isOfKey))
        return true
    }

    private mutating func link(_ isOn: Bool, _ rows: Rows, in save: inout Save) -> Bool {
        let links = rows.objects.values.sorted { $0.id < $1.id }.flatMap { object in
            (model.entities[object.entity]?.references ?? [:]).sorted { $0.key < $1.key }
                .filter { !$0.value.isOneToOne && (isOn || object.references[$0.key] != nil) }
                .map { (object: object.id, property: $0.key, relationship: $0.value) }
        }
        guard let link = draw.pick(links) else { return false }
        let target = isOn ? draw.pick(rows.names(at: link.relationship, model: model)) : nil
        if isOn && target == nil { return false }
        save.link(link.object, link.property, to: target)
        return true
    }

    private mutating func tag(_ isOn: Bool, _ rows: Rows, in save: inout Save) -> Bool {
        let name = draw.chance(25) ? kind.pairs.seldom : kind.pairs.often
        guard let relationship = model.entities[name.entity]?.pairs[name.property],
            let owner = draw.pick(rows.names(with: relationship, model: model))
        else { return false }
        let there = rows.objects[owner]?.members[name.property] ?? []
        let members = rows.names(at: relationship, model: model).filter { there.contains($0) != isOn }
        guard let member = draw.pick(members) else { return false }
        save.pair(owner, name.property, with: member, isIn: isOn)
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
