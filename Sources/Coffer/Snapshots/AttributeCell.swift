public import CofferModel
import CofferWire
public import FoundationEssentials

/// One attribute of one object as it was read: lends its value without making an `AttributeValue` of it.
///
/// Every property is `nil` where the cell is null or holds another kind of value.
public struct AttributeCell {
    let batch: SnapshotBatch
    let position: Int
    let row: Int

    @inline(__always)
    private var column: Column { batch.rows.columns[position] }

    /// Whether there is no value.
    public var isNull: Bool { column.isNull(row) }
    /// An integer of any width.
    public var integer: Int64? { column.int64(at: row) }
    /// A boolean.
    public var boolean: Bool? { column.boolean(at: row) }
    /// A double, or a date as seconds since 2001-01-01 00:00 UTC.
    public var double: Double? { column.double(at: row) }
    /// A float.
    public var float: Float? { column.float(at: row) }
    /// Text, that of a URI too.
    public var text: String? {
        // Repairs what is no UTF-8, which costs nothing where all is well.
        guard case .bytes(let runs) = column.values, !column.isNull(row) else { return nil }
        return String(decoding: runs.data[runs.range(row)], as: UTF8.self)
    }
    /// Bytes.
    public var bytes: [UInt8]? { column.bytes(at: row) }
    /// A UUID.
    public var uuid: UUID? { column.uuid(at: row) }
    /// The value, whatever its kind.
    public var value: AttributeValue { column.value(at: row, type: batch.types[position]) }
}
