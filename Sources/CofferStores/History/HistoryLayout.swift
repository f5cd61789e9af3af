internal import CofferModel

/// Which bit of an ACHANGE row's `ZCOLUMNS` stands for which property of one entity.
///
/// Source: measured in real stores, see the design page on storage, part 2.10.
struct HistoryLayout {
    /// For each property index its slot; -1 where the property is not stored.
    private let slots: [Int]
    /// For each slot the property, or -1 for a column that belongs to the property before it or to an order.
    private let properties: [Int]
    /// Attributes whose last value history keeps, in name order, with their columns.
    let preserved: [(property: Int, column: String)]

    init(_ entity: EntityDescription, in schema: SQLSchema) {
        let stored = schema.entities[entity.index]?.columns ?? []
        var properties: [Int] = []
        var orders = 0
        let relationships = entity.relationships.filter { !$0.isTransient }
        for relationship in relationships where !relationship.isToMany {
            properties.append(relationship.index)
            if !schema.model.destination(of: relationship).subentityIndices.isEmpty { properties.append(-1) }
            if let inverse = schema.model.inverse(of: relationship), inverse.isToMany, inverse.isOrdered {
                orders += 1
            }
        }
        orders += OwnerKey.all(of: entity, in: schema).count(where: \.hasOrder)
        let attributes = entity.attributes.filter { !$0.isTransient }
        properties += attributes.map(\.index)
        properties += relationships.filter(\.isToMany).map(\.index)
        properties += Array(repeating: -1, count: orders)
        self.properties = properties
        var slots = Array(repeating: -1, count: entity.properties.count)
        for (slot, property) in properties.enumerated() where property >= 0 { slots[property] = slot }
        self.slots = slots
        preserved =
            attributes.filter(\.preservesValueOnDeletion).sorted { $0.name < $1.name }.compactMap {
                attribute in
                guard stored.indices.contains(attribute.index),
                    case .attribute(let column, _) = stored[attribute.index]
                else { return nil }
                return (attribute.index, column)
            }
    }

    /// The number of bytes of a bitmap.
    var byteCount: Int { (properties.count + 7) / 8 }

    /// The position of a property's bit; -1 where it has none.
    func slot(of property: Int) -> Int { slots.indices.contains(property) ? slots[property] : -1 }

    /// The bitmap of `changed`: bit `i` counts from the most significant bit of the first byte.
    func bitmap(of changed: [Int]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        for property in changed where slots.indices.contains(property) && slots[property] >= 0 {
            set(slots[property], in: &bytes)
            let next = slots[property] + 1  // The column of the other object's entity changes with its key.
            if next < properties.count, properties[next] < 0, next < firstOrder { set(next, in: &bytes) }
        }
        return bytes
    }

    /// The properties whose bits are set, in order of their indices.
    func properties(in bytes: [UInt8]) -> [Int] {
        properties.indices.compactMap { slot in
            slot / 8 < bytes.count && bytes[slot / 8] & (0x80 >> UInt8(slot % 8)) != 0
                && properties[slot] >= 0
                ? properties[slot] : nil
        }.sorted()
    }

    private var firstOrder: Int { (properties.lastIndex { $0 >= 0 } ?? -1) + 1 }

    private func set(_ slot: Int, in bytes: inout [UInt8]) { bytes[slot / 8] |= 0x80 >> UInt8(slot % 8) }
}
