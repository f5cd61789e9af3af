import CofferModel
import CofferWire

/// Rows as a store had them, shared by the objects that were made of them.
///
/// The rows never change, so that an object needs no more than this and the number of its row.
final class SnapshotBatch {
    /// The rows.
    let rows: RowBatch
    /// For each property of the entity the place of its column; below 0 where the rows lack it.
    let positions: [Int16]
    /// For each property key's number the place of the column, where that is an attribute's; below 0 where not.
    let attributePositions: [Int16]
    /// For each column its attribute's type; what stands for relationships is not used.
    let types: [AttributeType]
    /// For each to-one relationship that somebody followed the objects at the other ends.
    private var ends: [Int: FaultGroup] = [:]
    /// Whether a property without a column is null, and not merely left out.
    let isComplete: Bool

    /// Shares `rows`; `isComplete` where they were asked for with all their properties.
    init(_ rows: RowBatch, of layout: EntityLayout, isComplete: Bool) {
        self.rows = rows
        self.isComplete = isComplete
        var positions = [Int16](repeating: -1, count: (rows.columns.map(\.property).max() ?? -1) + 1)
        for (position, column) in rows.columns.enumerated() { positions[column.property] = Int16(position) }
        self.positions = positions
        var attributePositions = [Int16](repeating: -1, count: layout.keyCount)
        var types: [AttributeType] = []
        for (position, column) in rows.columns.enumerated() {
            types.append(layout.attributeTypes[column.property] ?? .binary)
            if layout.attributeTypes[column.property] == nil { continue }
            attributePositions[layout.keyNumbers[column.property]] = Int16(position)
        }
        self.attributePositions = attributePositions
        self.types = types
    }

    /// The cell of the attribute with that key; `nil` where the rows lack it.
    @inline(__always)
    func cell(key number: Int, row: Int) -> AttributeCell? {
        guard number < attributePositions.count else { return nil }
        let position = Int(attributePositions[number])
        return position < 0 ? nil : AttributeCell(batch: self, position: position, row: row)
    }

    /// Where the column of property `slot` stands; below 0 where the rows lack it.
    @inline(__always)
    func position(of slot: Int) -> Int {
        slot < positions.count ? Int(positions[slot]) : -1
    }

    /// The objects that to-one relationship `slot` of all rows leads to, each once, to be read together; `nil` where it is one at most.
    func ends(_ slot: Int, _ reference: (_ entity: Int, _ key: Int64) -> ObjectReference?) -> FaultGroup? {
        if let group = ends[slot] { return group }
        let position = position(of: slot)
        guard rows.rowCount > 1, position >= 0 else { return nil }
        var seen: Set<ObjectReference> = []
        var references: [ObjectReference] = []
        for row in 0..<rows.rowCount {
            guard let end = rows.columns[position].reference(at: row),
                let found = reference(end.entity, end.key),
                seen.insert(found).inserted
            else { continue }
            references.append(found)
        }
        let group = FaultGroup(references, includesUnmade: true)
        ends[slot] = group
        return group
    }

    /// Z_OPT of row `row`; 0 where it is not known.
    func version(_ row: Int) -> UInt32 {
        row < rows.versions.count ? rows.versions[row] : 0
    }

    /// Whether the batch knows property `slot`.
    func knows(_ slot: Int) -> Bool { isComplete || position(of: slot) >= 0 }
}
