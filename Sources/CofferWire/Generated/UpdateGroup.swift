// Made by Protos/generate: do not edit.

/// Changed objects of one leaf entity in which the same properties changed.
///
/// `coffer.v1.UpdateGroup`.
package struct UpdateGroup: Sendable, Equatable {
    /// Index in the model.
    package var entity: Int
    /// Of the objects.
    package var primaryKeys: [Int64]
    /// Z_OPT of the snapshots.
    package var versions: [UInt32]
    /// New values.
    package var columns: [Column]
    /// The snapshots' values of the same properties; needed for MERGE_POLICY_STORE_TRUMP.
    package var oldColumns: [Column]
    /// The snapshots' values of the other properties; needed for MERGE_POLICY_OVERWRITE.
    package var otherColumns: [Column]

    /// A message from its fields.
    package init(
        entity: Int, primaryKeys: [Int64], versions: [UInt32], columns: [Column], oldColumns: [Column] = [],
        otherColumns: [Column] = []
    ) {
        self.entity = entity
        self.primaryKeys = primaryKeys
        self.versions = versions
        self.columns = columns
        self.oldColumns = oldColumns
        self.otherColumns = otherColumns
    }
}

extension UpdateGroup: FieldMessage {
    static var name: StaticString { "coffer.v1.UpdateGroup" }

    var aboutByteCount: Int {
        20 + 8 * primaryKeys.count + 4 * versions.count + columns.aboutByteCount + oldColumns.aboutByteCount
            + otherColumns.aboutByteCount
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, primaryKeys: [], versions: [], columns: [], oldColumns: [], otherColumns: [])
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
            case 4: try columns.append(field, from: &reader, "coffer.v1.UpdateGroup.columns")
            case 5: try oldColumns.append(field, from: &reader, "coffer.v1.UpdateGroup.old_columns")
            case 6: try otherColumns.append(field, from: &reader, "coffer.v1.UpdateGroup.other_columns")
            default: try reader.skip(field)
            }
        }
        try checkFields()
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, numbers: primaryKeys)
        writer.put(3, numbers: versions)
        try writer.put(4, messages: columns)
        try writer.put(5, messages: oldColumns)
        try writer.put(6, messages: otherColumns)
    }
}
