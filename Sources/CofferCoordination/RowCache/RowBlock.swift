import CofferLinux
import CofferWire

/// Rows as they were read or written together; never changed.
final class RowBlock: Sendable {
    /// What is kept of a row; a column that the rows lack is null in all of them.
    let shape: RowShape
    /// The rows, with their keys and versions.
    let rows: PackedRows
    /// About the bytes that it takes.
    let byteCount: Int
    /// When the rows were read or written, in nanoseconds of the monotonic clock; the oldest of them if
    /// they were joined.
    let since: UInt64

    init(shape: RowShape, rows: PackedRows, since: UInt64 = Monotonic.now) {
        self.shape = shape
        self.rows = rows
        self.since = since
        byteCount = 160 + rows.byteCount
    }

    var rowCount: Int { rows.rowCount }

    /// Whether it has the rows of another block in the same versions and order.
    func hasSameRows(as other: RowBlock) -> Bool {
        guard shape.entity == other.shape.entity, rowCount == other.rowCount else { return false }
        for row in 0..<rowCount {
            guard rows.primaryKey(row) == other.rows.primaryKey(row),
                rows.version(row) == other.rows.version(row)
            else { return false }
        }
        return true
    }

    /// Whether `places` are all of its rows in their order, with everything that is kept of them: then it is
    /// their answer itself.
    fileprivate func isMade(of places: [RowLocation]) -> Bool {
        guard places.count == rowCount, rows.isUniform, rows.columnCount == shape.columns.count else {
            return false
        }
        for row in places.indices where places[row].block !== self || places[row].row != row { return false }
        return true
    }
}

/// One row of a block.
struct RowLocation: Sendable {
    let block: RowBlock
    let row: Int
}

extension RowShape {
    /// Rows of its entity from anywhere, side by side.
    func rows(of places: [RowLocation]) throws(WireError) -> PackedRows {
        if let first = places.first?.block, first.isMade(of: places) { return first.rows }
        var gathered = GatheredRows(capacity: places.count)
        for place in places { gathered.append(place.block.rows, place.row) }
        return try gathered.packed(entity: entity, columns: columns)
    }

    /// A block of rows of its entity from anywhere.
    func block(of places: [RowLocation]) throws(WireError) -> RowBlock {
        RowBlock(
            shape: self, rows: try rows(of: places),
            since: places.lazy.map(\.block.since).min() ?? Monotonic.now)
    }
}
