import CofferLinux
import CofferModel
package import CofferWire

/// Rows as they were read or written together, in columns that they share; never changed.
final class RowBlock: Sendable {
    /// What the rows are.
    let shape: RowShape
    /// One for each row.
    let primaryKeys: [Int64]
    /// One for each row.
    let versions: [UInt32]
    /// By place in the shape; `nil` where all are null.
    let columns: [Column?]
    /// About the bytes that it takes.
    let byteCount: Int
    /// When the rows were read or written, in nanoseconds of the monotonic clock; the oldest of them where they were joined.
    let since: UInt64

    init(
        shape: RowShape, primaryKeys: [Int64], versions: [UInt32], columns: [Column?],
        since: UInt64 = Monotonic.now
    ) {
        self.since = since
        self.shape = shape
        self.primaryKeys = primaryKeys
        self.versions = versions
        self.columns = columns
        var byteCount = 160 + 12 * primaryKeys.count + 96 * columns.count
        let all = columns.span  // Lends each column, where the array would copy it.
        for place in all.indices {
            if let column = all[place] { byteCount += column.byteCount }
        }
        self.byteCount = byteCount
    }

    var rowCount: Int { primaryKeys.count }
}

/// One row of a block.
struct RowPlace: Sendable {
    let block: RowBlock
    let row: Int
}

extension RowShape {
    /// Rows from anywhere, side by side in one batch.
    func batch(of places: [RowPlace]) -> RowBatch {
        RowBatch(
            rowCount: places.count, entity: entity, primaryKeys: places.map { $0.block.primaryKeys[$0.row] },
            versions: places.map { $0.block.versions[$0.row] },
            columns: properties.indices.map { place in
                var builder = builder(place, capacity: places.count)
                for row in places {
                    builder.append(row.block.columns[place], row.row, properties[place].type)
                }
                return builder.finish()
            })
    }

    /// A block of rows from anywhere.
    func block(of places: [RowPlace]) -> RowBlock {
        let batch = batch(of: places)
        return RowBlock(
            shape: self, primaryKeys: batch.primaryKeys, versions: batch.versions, columns: batch.columns,
            since: places.lazy.map(\.block.since).min() ?? Monotonic.now)
    }

    /// A builder for the column at a place.
    func builder(_ place: Int, capacity: Int) -> ColumnBuilder {
        guard let type = properties[place].type else {
            return ColumnBuilder(referencesOf: properties[place].index, capacity: capacity)
        }
        return ColumnBuilder(property: properties[place].index, type: type, capacity: capacity)
    }
}

extension ColumnBuilder {
    /// Appends a row of another column of the same kind.
    mutating func append(_ column: Column?, _ row: Int, _ type: AttributeType?) {
        guard let column, !column.isNull(row) else { return appendNull() }
        switch column.values {
        case .integers(let numbers): append(numbers[row])
        case .bits: append(column.boolean(at: row) ?? false)
        case .doubles(let numbers): append(numbers[row])
        case .floats(let numbers): append(numbers[row])
        case .bytes(let runs): append(bytes: runs.data[runs.range(row)])
        case .uuids:
            if let uuid = column.uuid(at: row) { append(uuid: uuid) } else { appendNull() }
        case .decimals(let bytes):
            if let parts = DecimalParts(row: row, of: bytes) { append(decimal: parts) } else { appendNull() }
        case .references(let keys, let entities): append(reference: keys[row], entity: entities[row])
        }
    }
}

extension Column {
    /// About how many bytes the values take.
    package var byteCount: Int {
        let values =
            switch values {
            case .integers(let values): values.count * 8
            case .bits(let values): values.count
            case .doubles(let values): values.count * 8
            case .floats(let values): values.count * 4
            case .bytes(let runs): runs.data.count + runs.ends.count * 4
            case .uuids(let values), .decimals(let values): values.count
            case .references(let keys, _): keys.count * 12
            }
        return values + nulls.count
    }
}
