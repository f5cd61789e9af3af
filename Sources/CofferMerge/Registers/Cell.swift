package import CofferModel

/// What one property of one record holds.
package struct Cell: Sendable, Hashable {
    /// The value.
    package let content: Content
    /// Whether the value was not chosen: it is null or the default, set when the record was inserted.
    ///
    /// Among the records of one object it yields to whatever was chosen.
    package let isDefaulted: Bool

    /// An attribute's value or the record that a to-one relationship names.
    package enum Content: Sendable, Hashable {
        /// No value, and no record.
        case null
        /// Of an attribute; never null or NaN, nor an object's id, and zero has no sign.
        case value(AttributeValue)
        /// Of an attribute outside of all keys; its bytes are elsewhere.
        case large(LargeValue)
        /// Of a to-one relationship.
        case record(RecordID)
    }

    /// A cell that holds `content` as a store's file would keep it: NaN as null, and -0.0 as 0.0.
    ///
    /// So what is equal has one form, however it came.
    package init(_ content: Content, isDefaulted: Bool = false) {
        if case .value(let value) = content {
            let kept = value.asKept
            self.content = kept.isNull ? .null : .value(kept)
        } else {
            self.content = content
        }
        self.isDefaulted = isDefaulted
    }

    /// The record that it names.
    package var record: RecordID? { if case .record(let record) = content { record } else { nil } }
}

extension Cell: RegisterValue {
    /// A value is above null.
    package var orderedBytes: [UInt8] {
        var bytes = OrderedBytes()
        switch content {
        case .null: bytes.append(0 as UInt8)
        case .value(let value):
            bytes.append(1 as UInt8)
            bytes.append(value)
        case .record(let record):
            bytes.append(2 as UInt8)
            bytes.append(record)
        case .large(let value):
            bytes.append(3 as UInt8)
            bytes.append(value.kind.rawValue)
            bytes.append(value.byteCount)
            for byte in value.hashes { bytes.append(byte) }
        }
        bytes.append(isDefaulted ? 0 : 1 as UInt8)
        return bytes.bytes
    }
}
