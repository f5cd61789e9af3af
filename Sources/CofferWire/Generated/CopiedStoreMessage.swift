// Made by Protos/generate: do not edit.

package import FoundationEssentials

/// A new store that was made of another.
///
/// An object's id has the new UUID, and the key that `offsets` says.
///
/// `coffer.v1.CopiedStore`.
package struct CopiedStoreMessage: Sendable, Equatable {
    /// 16 bytes: the old store's.
    package var formerUUID: UUID
    /// 16 bytes: the new one's.
    package var uuid: UUID
    /// The last transaction in its history.
    package var number: UInt64
    /// Where keys are not what they were.
    package var offsets: [KeyOffsetMessage]
    /// What stayed behind since a store cannot keep it, each a sentence.
    package var leftOut: [String]
    /// How many values are null since their files were missing.
    package var missingCount: UInt64
    /// The first of them, for people.
    package var missingValues: [String]

    /// A message from its fields.
    package init(
        formerUUID: UUID, uuid: UUID, number: UInt64, offsets: [KeyOffsetMessage] = [],
        leftOut: [String] = [], missingCount: UInt64 = 0, missingValues: [String] = []
    ) {
        self.formerUUID = formerUUID
        self.uuid = uuid
        self.number = number
        self.offsets = offsets
        self.leftOut = leftOut
        self.missingCount = missingCount
        self.missingValues = missingValues
    }
}

extension CopiedStoreMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.CopiedStore" }

    var aboutByteCount: Int {
        50 + offsets.aboutByteCount + leftOut.reduce(0) { $0 + $1.utf8.count + 3 }
            + missingValues.reduce(0) { $0 + $1.utf8.count + 3 }
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(
            formerUUID: .zero, uuid: .zero, number: 0, offsets: [], leftOut: [], missingCount: 0,
            missingValues: [])
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        var formerUUIDRead: UUID?
        var uuidRead: UUID?
        while let field = try reader.nextField() {
            switch field.number {
            case 1: formerUUIDRead = try reader.uuid(field, "coffer.v1.CopiedStore.former_uuid")
            case 2: uuidRead = try reader.uuid(field, "coffer.v1.CopiedStore.uuid")
            case 3: number = try reader.number(field)
            case 4:
                try offsets.append(reader.message(field), "coffer.v1.CopiedStore.offsets", limit: Limits.list)
            case 5:
                try leftOut.append(
                    reader.text(field, "coffer.v1.CopiedStore.left_out", limit: Limits.text),
                    "coffer.v1.CopiedStore.left_out", limit: Limits.list)
            case 6: missingCount = try reader.number(field)
            case 7:
                try missingValues.append(
                    reader.text(field, "coffer.v1.CopiedStore.first_missing", limit: Limits.text),
                    "coffer.v1.CopiedStore.first_missing", limit: Limits.list)
            default: try reader.skip(field)
            }
        }
        guard let formerUUIDRead else { throw .malformed("coffer.v1.CopiedStore.former_uuid: absent") }
        formerUUID = formerUUIDRead
        guard let uuidRead else { throw .malformed("coffer.v1.CopiedStore.uuid: absent") }
        uuid = uuidRead
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.always(1, uuid: formerUUID)
        writer.always(2, uuid: uuid)
        writer.put(3, number: number)
        try writer.put(4, messages: offsets)
        for text in leftOut { writer.always(5, text: text) }
        writer.put(6, number: missingCount)
        for text in missingValues { writer.always(7, text: text) }
    }
}
