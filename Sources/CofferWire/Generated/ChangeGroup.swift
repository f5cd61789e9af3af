// Made by Protos/generate: do not edit.

/// Objects of one leaf entity to which the same happened.
///
/// `coffer.v1.ChangeGroup`.
package struct ChangeGroup: Sendable, Equatable {
    /// What happened to them.
    package var kind: ChangeKind
    /// Index in the model.
    package var entity: Int
    /// Of the objects.
    package var primaryKeys: [Int64]
    /// Now; empty for deletes and in history.
    package var versions: [UInt32]
    /// Updates: which changed, by index in the entity; to-many relationships too.
    package var properties: [Int]
    /// Their values now; those without a column are fetched when needed.
    ///
    /// Of deletes: what history preserves.
    package var columns: [Column]

    /// A message from its fields.
    package init(
        kind: ChangeKind, entity: Int, primaryKeys: [Int64], versions: [UInt32] = [], properties: [Int] = [],
        columns: [Column] = []
    ) {
        self.kind = kind
        self.entity = entity
        self.primaryKeys = primaryKeys
        self.versions = versions
        self.properties = properties
        self.columns = columns
    }
}

extension ChangeGroup: FieldMessage {
    static var name: StaticString { "coffer.v1.ChangeGroup" }

    var aboutByteCount: Int {
        28 + 8 * primaryKeys.count + 4 * versions.count + 2 * properties.count + columns.aboutByteCount
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(kind: .insert, entity: 0, primaryKeys: [], versions: [], properties: [], columns: [])
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        var kindNumber: UInt32 = 0
        while let field = try reader.nextField() {
            switch field.number {
            case 1: kindNumber = try reader.number32(field)
            case 2: entity = Int(try reader.number32(field))
            case 3: try reader.append(field, to: &primaryKeys)
            case 4: try reader.append(field, to: &versions)
            case 5:
                try reader.append(
                    field, to: &properties, "coffer.v1.ChangeGroup.properties", limit: Limits.columns)
            case 6: try columns.append(field, from: &reader, "coffer.v1.ChangeGroup.columns")
            default: try reader.skip(field)
            }
        }
        kind = try requiredChoice(kindNumber, "coffer.v1.ChangeGroup.kind")
        try checkFields()
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(kind.wire))
        writer.put(2, number: UInt64(entity))
        writer.put(3, numbers: primaryKeys)
        writer.put(4, numbers: versions)
        writer.put(5, varints: properties)
        try writer.put(6, messages: columns)
    }
}
