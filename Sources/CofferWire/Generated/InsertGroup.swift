// Made by Protos/generate: do not edit.

package import FoundationEssentials

/// New objects of one leaf entity.
///
/// `coffer.v1.InsertGroup`.
package struct InsertGroup: Sendable, Equatable {
    /// Index in the model.
    package var entity: Int
    /// 16 bytes each; their number is the number of rows.
    package var temporaryIDs: [UUID]
    /// A property without a column is null.
    package var columns: [Column]
    /// Of ReserveKeys: the first row's key, the others follow without gap; 0: the store gives new ones.
    package var firstKey: Int64
    /// Bit (i % 8) of byte (i / 8) with i = column * rows + row is set if the value was set, be it null or
    /// the model's default: an upsert by property writes just those.
    ///
    /// Where it is empty, values that are neither null nor the default count as set.
    package var assigned: [UInt8]

    /// A message from its fields.
    package init(
        entity: Int, temporaryIDs: [UUID], columns: [Column], firstKey: Int64 = 0, assigned: [UInt8] = []
    ) {
        self.entity = entity
        self.temporaryIDs = temporaryIDs
        self.columns = columns
        self.firstKey = firstKey
        self.assigned = assigned
    }
}

extension InsertGroup: FieldMessage {
    static var name: StaticString { "coffer.v1.InsertGroup" }

    var aboutByteCount: Int { 28 + 16 * temporaryIDs.count + columns.aboutByteCount + assigned.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, temporaryIDs: [], columns: [], firstKey: 0, assigned: [])
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = Int(try reader.number32(field))
            case 2: temporaryIDs = try reader.uuids(field, "coffer.v1.InsertGroup.temporary_ids")
            case 3: try columns.append(field, from: &reader, "coffer.v1.InsertGroup.columns")
            case 4: firstKey = try reader.fixed(field)
            case 5: assigned = try reader.bytes(field)
            default: try reader.skip(field)
            }
        }
        try checkFields()
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, uuids: temporaryIDs)
        try writer.put(3, messages: columns)
        writer.put(4, fixed: firstKey)
        writer.put(5, bytes: assigned)
    }
}
