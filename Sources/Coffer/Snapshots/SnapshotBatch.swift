import CofferModel
import CofferWire

/// Rows as a store had them, shared by the objects that were made of them.
///
/// The rows never change, so that an object needs no more than this and the number of its row.
final class SnapshotBatch {
    /// The rows.
    let rows: PackedRows
    /// What `ColumnIndex` says, taken out of it: each value that is read looks here.
    private let positions: [Int16]
    let attributePositions: [Int16]
    let types: [AttributeType]
    /// For each to-one relationship that was followed the objects at the other ends.
    private var ends: [Int: FaultGroup] = [:]
    private var all: FaultGroup?
    /// For each to-many relationship that was read, how many of the objects are asked for theirs at once
    /// next.
    private var owners: [Int: Int] = [:]
    /// Whether no property was left out: one without a column is null.
    let isComplete: Bool

    /// Shares `rows`, whose columns stand at `places`.
    init(_ rows: PackedRows, at places: ColumnIndex) {
        self.rows = rows
        positions = places.positions
        attributePositions = places.attributePositions
        types = places.types
        isComplete = places.isComplete
    }

    /// Where the column of the attribute with a key's number stands; below 0 if the rows lack it.
    @inline(__always)
    func attributePosition(_ number: Int) -> Int {
        number < attributePositions.count ? Int(attributePositions[number]) : -1
    }

    /// Where the column of property `slot` stands; below 0 if the rows lack it.
    @inline(__always)
    func position(of slot: Int) -> Int {
        slot < positions.count ? Int(positions[slot]) : -1
    }

    /// The objects that to-one relationship `slot` of all rows leads to, each once, to be read together;
    /// `nil` if there is one row at most.
    func ends(_ slot: Int, _ reference: (_ entity: Int, _ key: Int64) -> ObjectReference?) -> FaultGroup? {
        if let group = ends[slot] { return group }
        let position = position(of: slot)
        guard rows.rowCount > 1, position >= 0 else { return nil }
        var seen: Set<ObjectReference> = []
        var references: [ObjectReference] = []
        for row in 0..<rows.rowCount {
            guard let end = rows.reference(position, row),
                let found = reference(end.entity, end.key),
                seen.insert(found).inserted
            else { continue }
            references.append(found)
        }
        let group = FaultGroup(references, includesUnmade: true)
        ends[slot] = group
        return group
    }

    /// The objects of all rows, to be read together again; `nil` if there is one row at most.
    func group(in registry: Registry, store: Int16) -> FaultGroup? {
        if let all { return all }
        guard rows.rowCount > 1, rows.hasKeys else { return nil }
        let group = FaultGroup(
            (0..<rows.rowCount).map {
                registry.reference(store: store, entity: rows.leafEntity($0), key: rows.primaryKey($0))
            })
        all = group
        return group
    }

    /// Sets the objects at the other ends to those of a prefetch.
    func setEnds(_ slot: Int, _ group: FaultGroup) { ends[slot] = group }

    /// Of how many objects the members of a relationship are to be read now: of more each time.
    func nextOwners(_ slot: Int) -> Int {
        let count = owners[slot] ?? 1
        if count > 0 { owners[slot] = min(Limits.ownersAhead, count * 8) }
        return max(1, count)
    }

    /// Reads members of single objects from now on: they are too many.
    func stopReadingAhead(_ slot: Int) { owners[slot] = 0 }

    /// Z_OPT of row `row`; 0 if it is not known.
    @inline(__always)
    func version(_ row: Int) -> UInt32 { rows.version(row) }

    /// Whether the batch knows property `slot`.
    func knows(_ slot: Int) -> Bool {
        isComplete || (slot < positions.count && positions[slot] != ColumnIndex.leftOut)
    }
}
