public import CofferModel
import CofferWire
public import FoundationEssentials

/// One attribute of one object as it was read: lends its value without making an `AttributeValue` of it.
///
/// Every property is `nil` if the cell is null or holds another kind of value.
public struct AttributeCell {
    // The object, and not its rows: it is alive while its accessor runs, and nothing has to be counted.
    @usableFromInline let object: ManagedObject
    @usableFromInline let column: Int

    @inlinable
    init(_ object: ManagedObject, _ column: Int) {
        self.object = object
        self.column = column
    }

    @inline(__always)
    private func read<Value>(
        _ body: (_ rows: PackedRows, _ column: Int, _ row: Int) -> Value?
    ) -> Value? {
        let row = Int(object.row)
        // The object keeps its batch, and that its rows, for as long as this runs: neither has to be counted.
        let batch = unsafe object.batch.map { unsafe Unmanaged.passUnretained($0) }
        return unsafe batch?._withUnsafeGuaranteedRef { batch in
            unsafe Unmanaged.passUnretained(batch.rows)._withUnsafeGuaranteedRef { body($0, column, row) }
        }
    }

    /// Whether there is no value.
    public var isNull: Bool { read { $0.isNull($1, $2) } ?? true }
    /// An integer of any width.
    public var integer: Int64? { read { $0.int64($1, $2) } }
    /// A boolean.
    public var boolean: Bool? { read { $0.boolean($1, $2) } }
    /// A double, or a date as seconds since 2001-01-01 00:00 UTC.
    public var double: Double? { read { $0.double($1, $2) } }
    /// A float.
    public var float: Float? { read { $0.float($1, $2) } }
    /// Text, that of a URI too.
    public var text: String? { read { $0.text($1, $2) } }
    /// Bytes.
    public var bytes: [UInt8]? { read { $0.bytes($1, $2) } }
    /// A UUID.
    public var uuid: UUID? { read { $0.uuid($1, $2) } }
    /// The value, whatever its kind.
    public var value: AttributeValue {
        guard let batch = object.batch else { return .null }
        return batch.rows.value(column, Int(object.row), type: batch.types[column])
    }
}
