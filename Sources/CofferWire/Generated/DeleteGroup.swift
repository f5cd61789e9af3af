// Made by Protos/generate: do not edit.

/// Deleted objects of one leaf entity.
///
/// `coffer.v1.DeleteGroup`.
package struct DeleteGroup: Sendable, Equatable {
    /// Index in the model.
    package var entity: Int
    /// Of the objects.
    package var primaryKeys: [Int64]
    /// Z_OPT of each, as the sender knows it.
    package var versions: [UInt32]
    /// To-one relationships that were set to something else before the delete: its rules do not reach what
    /// the store has there.
    ///
    /// Places in primary_keys.
    package var detachedRows: [UInt32]
    /// As many: indexes of the relationships in the entity.
    package var detachedProperties: [UInt32]

    /// A message from its fields.
    package init(
        entity: Int, primaryKeys: [Int64], versions: [UInt32], detachedRows: [UInt32] = [],
        detachedProperties: [UInt32] = []
    ) {
        self.entity = entity
        self.primaryKeys = primaryKeys
        self.versions = versions
        self.detachedRows = detachedRows
        self.detachedProperties = detachedProperties
    }
}

extension DeleteGroup: FieldMessage {
    static var name: StaticString { "coffer.v1.DeleteGroup" }

    var aboutByteCount: Int {
        32 + 8 * primaryKeys.count + 4 * versions.count + 4 * detachedRows.count
            + 4 * detachedProperties.count
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, primaryKeys: [], versions: [], detachedRows: [], detachedProperties: [])
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = Int(try reader.number32(field))
            case 2: try reader.append(field, to: &primaryKeys)
            case 3: try reader.append(field, to: &versions)
            case 4: try reader.append(field, to: &detachedRows)
            case 5: try reader.append(field, to: &detachedProperties)
            default: try reader.skip(field)
            }
        }
        try checkFields()
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, numbers: primaryKeys)
        writer.put(3, numbers: versions)
        writer.put(4, numbers: detachedRows)
        writer.put(5, numbers: detachedProperties)
    }
}
