import CofferModel
import CofferWire

/// Where the columns of rows stand for the properties of an entity.
struct ColumnIndex {
    /// For each property of the entity the place of its column; `noColumn` or `leftOut` if the rows lack
    /// it.
    let positions: [Int16]
    /// For each property key's number the place of the column, if that is an attribute's; else below 0.
    let attributePositions: [Int16]
    /// For each column its attribute's type; what stands for relationships is not used.
    let types: [AttributeType]
    /// Whether no property was left out: one without a column is null.
    let isComplete: Bool
    private let extent: RowExtent

    /// The place of a property that is null in all rows.
    private static var noColumn: Int16 { -1 }
    /// The place of a property that was not asked for.
    static var leftOut: Int16 { -2 }

    /// Those of `rows`, of which `extent` was asked for.
    init(_ rows: PackedRows, of layout: EntityLayout, _ extent: RowExtent) {
        var positions = [Int16](
            repeating: extent == .part ? Self.leftOut : Self.noColumn, count: layout.attributeTypes.count)
        if extent == .withoutExternal {
            for slot in layout.externalSlots { positions[slot] = Self.leftOut }
        }
        var attributePositions = [Int16](repeating: -1, count: layout.keyCount)
        var types: [AttributeType] = []
        types.reserveCapacity(rows.columnCount)
        for position in 0..<rows.columnCount {
            let slot = rows.property(position)
            positions[slot] = Int16(position)
            types.append(layout.attributeTypes[slot] ?? .binary)
            if layout.attributeTypes[slot] == nil { continue }
            attributePositions[layout.keyNumbers[slot]] = Int16(position)
        }
        self.positions = positions
        self.extent = extent
        // Rows of a part may be of entities that have more than the one which was asked for.
        isComplete = extent != .part && layout.externalSlots.allSatisfy { positions[$0] != Self.leftOut }
        self.attributePositions = attributePositions
        self.types = types
    }

    /// Whether they are those of other rows of the entity, too.
    func fit(_ rows: PackedRows, _ extent: RowExtent) -> Bool {
        guard extent == self.extent, rows.columnCount == types.count else { return false }
        for position in types.indices where positions[rows.property(position)] != position { return false }
        return true
    }
}
