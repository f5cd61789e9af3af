internal import CofferModel

/// Which bit of an ACHANGE row's `ZCOLUMNS` stands for which property of one entity.
///
/// Source: measured in real stores, see the design page on storage, part 2.10.
struct HistoryLayout {
    /// For each property index its slot; -1 if the property is not stored.
    private let slots: [Int]
    /// For each slot the property, or -1 for a column that belongs to the property before it or to an order.
    private let properties: [Int]
    /// The columns that keep places in ordered relationships; their slots stand behind all others.
    private let orderColumns: [String]
    /// Attributes whose last value history keeps, in name order, with their columns.
    let preserved: [(property: Int, column: String)]

    init(_ entity: EntityDescription, in schema: SQLSchema) {
        let stored = schema.entities[entity.index]?.columns ?? []
        var properties: [Int] = []
        var orders: [String] = []
        let relationships = entity.relationships.filter { !$0.isTransient }
        for relationship in relationships where !relationship.isToMany {
            properties.append(relationship.index)
            if !schema.model.destination(of: relationship).subentityIndices.isEmpty { properties.append(-1) }
            if let inverse = schema.model.inverse(of: relationship), inverse.isToMany, inverse.isOrdered {
                let owner = schema.entities[relationship.destinationIndex]
                orders.append(owner?.columns[inverse.index]?.orderColumn ?? "")
            }
        }
        orders += OwnerKey.all(of: entity, in: schema).compactMap(\.order)
        let attributes = entity.attributes.filter { !$0.isTransient }
        properties += attributes.map(\.index)
        properties += relationships.filter(\.isToMany).map(\.index)
        properties += Array(repeating: -1, count: orders.count)
        self.properties = properties
        orderColumns = orders
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

    /// The position of a property's bit; -1 if it has none.
    func slot(of property: Int) -> Int { slots.indices.contains(property) ? slots[property] : -1 }

    /// What stands among changed properties for another place in the order that `column` keeps: a negative
    /// number, as no property has; `nil` if rows of the entity have no such column.
    func orderMark(_ column: String) -> Int? { orderColumns.firstIndex(of: column).map { -1 - $0 } }

    /// The bitmap of `changed`, properties and marks of orders: bit `i` counts from the most significant bit
    /// of the first byte.
    func bitmap(of changed: [Int]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        for mark in changed where mark < 0 { set(firstOrder - 1 - mark, in: &bytes) }
        for property in changed where slots.indices.contains(property) && slots[property] >= 0 {
            set(slots[property], in: &bytes)
            let next = slots[property] + 1  // The column of the other object's entity changes with its key.
            if next < properties.count, properties[next] < 0, next < firstOrder { set(next, in: &bytes) }
        }
        return bytes
    }

    /// Whether an update with these bits changed to-many relationships, and besides them nothing but
    /// derived attributes, the store's own matter; `nil` if it did not change even those.
    func changesSetsAlone(_ bytes: [UInt8], of entity: EntityDescription) -> Bool? {
        var changesSets = false
        for property in properties(in: bytes) {
            if entity.properties[property].relationship?.isToMany ?? false {
                changesSets = true
            } else if entity.properties[property].attribute?.derivationExpression == nil {
                return false
            }
        }
        return changesSets ? true : nil
    }

    /// The properties whose bits are set, in order of their indices.
    func properties(in bytes: [UInt8]) -> [Int] {
        properties.indices.compactMap { slot in
            slot / 8 < bytes.count && bytes[slot / 8] & (0x80 >> UInt8(slot % 8)) != 0
                && properties[slot] >= 0
                ? properties[slot] : nil
        }.sorted()
    }

    private var firstOrder: Int { properties.count - orderColumns.count }

    private func set(_ slot: Int, in bytes: inout [UInt8]) { bytes[slot / 8] |= 0x80 >> UInt8(slot % 8) }
}
