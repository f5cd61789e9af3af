import CofferModel
import CofferWire

/// What a context knows of an entity to make and read its objects quickly.
///
/// Confined with the context.
final class EntityLayout {
    let entity: EntityDescription
    /// The class of its objects.
    let type: ManagedObject.Type
    /// Whether no two of its objects may agree in something, so that a new one may become one with a stored
    /// one.
    let isUnique: Bool
    /// What new objects start with, null left out.
    let defaults: [(slot: Int, content: PropertyContent)]
    /// The properties that have a default, if objects of the entity may become one with stored ones; else
    /// empty.
    let upsertedDefaults: [Int]
    /// The properties that have a column: stored attributes and to-one relationships.
    let storedSlots: [Int]
    /// The attributes that the store computes.
    let derivedSlots: [Int]
    /// Those of them that must have a value to be saved at all, as in Core Data: a default, or one that is
    /// set until the store computes it.
    let requiredDerivedSlots: [Int]
    /// `storedSlots` without `derivedSlots`: what saves send.
    let sentSlots: [Int]
    /// The attributes whose values may be in files beside the store: they are read when one is asked for.
    let externalSlots: [Int]
    /// Whether the entity, or one that inherits from it, has such attributes.
    let familyKeepsExternal: Bool
    /// What is fetched instead of all; empty if there are no such attributes, or no others.
    let namesWithoutExternal: [String]
    /// How many rows are read at once with such attributes: one until it is known how large they are.
    private(set) var rowsAtOnce: Int
    /// For each property its attribute's type; `nil` for relationships.
    let attributeTypes: [AttributeType?]
    /// For each property its relationship; `nil` for attributes.
    let relationships: [RelationshipLayout?]
    /// For each property the number of its key, and one more than the largest of them.
    let keyNumbers: [Int]
    let keyCount: Int
    /// What values must satisfy beyond what the store judges.
    let predicateRules: [PredicateRule]
    /// For each property key's number the property's place; -1 if the entity has none, -2 if it was not
    /// looked up.
    private var slots: [Int32] = []
    /// Where the columns of the last rows stood: those of the next mostly stand there, too.
    private var lastPlaces: ColumnIndex?

    init(entity: EntityDescription, type: ManagedObject.Type, model: ManagedObjectModel) {
        self.entity = entity
        self.type = type
        keyNumbers = entity.properties.map { PropertyKey($0.name).number }
        keyCount = (keyNumbers.max() ?? -1) + 1
        attributeTypes = entity.properties.map { $0.attribute?.type }
        relationships = entity.properties.map { property in
            property.relationship.map { RelationshipLayout($0, model: model) }
        }
        defaults = entity.attributes.compactMap { attribute in
            attribute.defaultValue.isNull ? nil : (attribute.index, .value(attribute.defaultValue))
        }
        isUnique = model.entities[entity.rootIndex].familyIndices.contains {
            !model.entities[$0].definition.uniquenessConstraints.isEmpty
        }
        upsertedDefaults = isUnique ? defaults.map(\.slot) : []
        predicateRules = PredicateRule.rules(of: entity)
        let stored = entity.properties.enumerated().compactMap { slot, property -> Int? in
            if property.isTransient || (property.relationship?.isToMany ?? false) { return nil }
            return slot
        }
        let derived = entity.derivedAttributes.map(\.index)
        storedSlots = stored
        derivedSlots = derived
        requiredDerivedSlots = entity.derivedAttributes.filter { !$0.isOptional }.map(\.index)
        let external = entity.externalIndices
        externalSlots = external
        familyKeepsExternal =
            !external.isEmpty
            || entity.familyIndices.dropFirst().contains { !model.entities[$0].externalIndices.isEmpty }
        namesWithoutExternal =
            external.isEmpty
            ? [] : stored.filter { !external.contains($0) }.map { entity.properties[$0].name }
        rowsAtOnce = external.isEmpty ? .max : 1
        sentSlots = derived.isEmpty ? stored : stored.filter { !derived.contains($0) }
    }

    /// Where the columns of rows stand, of which `extent` was asked for.
    func places(of rows: PackedRows, _ extent: RowExtent) -> ColumnIndex {
        if let lastPlaces, lastPlaces.fit(rows, extent) { return lastPlaces }
        let places = ColumnIndex(rows, of: self, extent)
        lastPlaces = places
        return places
    }

    /// Whether the value of property `slot` may be in a file beside the store.
    @inline(__always)
    func isExternal(_ slot: Int) -> Bool { !externalSlots.isEmpty && externalSlots.contains(slot) }

    /// Learns from rows that were read with all their values how many to read at once next.
    func learn(from rows: PackedRows) {
        guard !externalSlots.isEmpty, rows.rowCount > 0 else { return }
        let fitting = Limits.largeValueBytes / max(1, rows.byteCount / rows.rowCount)
        rowsAtOnce = min(max(1, fitting), Limits.faultBatch)
    }

    /// The place in the entity of the property with a key's number; to ask for one that it lacks is a
    /// mistake.
    @inline(__always)
    func slot(_ number: Int) -> Int {
        if number < slots.count {
            let slot = slots[number]
            if slot >= 0 { return Int(slot) }
        }
        return findSlot(number)
    }

    private func findSlot(_ number: Int) -> Int {
        if number >= slots.count {
            slots.append(contentsOf: repeatElement(-2, count: number + 1 - slots.count))
        }
        let name = PropertyKey.name(number)
        guard let slot = entity.propertyIndex(named: name) else {
            preconditionFailure("entity '\(entity.name)' has no property '\(name)'")
        }
        slots[number] = Int32(slot)
        return slot
    }

    /// What property `slot` gives if there is no value.
    func fallback(_ slot: Int) -> PropertyContent {
        defaults.first { $0.slot == slot }?.content ?? .null
    }
}
