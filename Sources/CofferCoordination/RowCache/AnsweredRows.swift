import CofferLinux
import CofferWire

/// Rows that came with an answer: a block, or what one is made of once somebody looks for them, which mostly nobody does.
struct AnsweredRows: Sendable {
    private enum Content: Sendable {
        case block(RowBlock)
        case packed(PackedRows, since: UInt64)
    }

    /// What the rows are.
    let shape: RowShape
    /// One for each row.
    let primaryKeys: [Int64]
    /// About the bytes that they take.
    let byteCount: Int
    private let content: Content

    /// Rows that are a block.
    init(_ block: RowBlock) {
        shape = block.shape
        primaryKeys = block.primaryKeys
        byteCount = block.byteCount
        content = .block(block)
    }

    /// Rows as a fetch gave them, whose keys are `primaryKeys`; `nil` where they have other columns than are kept.
    init?(_ rows: PackedRows, _ primaryKeys: [Int64], _ shape: RowShape) {
        guard rows.hasVersions, rows.columnCount == shape.properties.count else { return nil }
        for column in 0..<rows.columnCount where rows.property(column) != shape.properties[column].index {
            return nil
        }
        self.shape = shape
        self.primaryKeys = primaryKeys
        byteCount = 160 + rows.byteCount + 8 * primaryKeys.count
        content = .packed(rows, since: Monotonic.now)
    }

    /// The rows as a block.
    var block: RowBlock {
        switch content {
        case .block(let block): return block
        case .packed(let rows, let since):
            let batch = rows.makeBatch()
            return RowBlock(
                shape: shape, primaryKeys: primaryKeys, versions: batch.versions,
                columns: batch.columns.map { $0 }, since: since)
        }
    }

    /// Whether they have the same rows as others in the same versions, in the same order.
    func hasSameRows(as other: AnsweredRows) -> Bool {
        shape.entity == other.shape.entity && primaryKeys == other.primaryKeys
            && primaryKeys.indices.allSatisfy { version($0) == other.version($0) }
    }

    private func version(_ row: Int) -> UInt32 {
        switch content {
        case .block(let block): block.versions[row]
        case .packed(let rows, _): rows.version(row)
        }
    }
}
