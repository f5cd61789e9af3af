// Made by Protos/generate: do not edit.

/// Objects of one leaf entity that became one with others of it.
///
/// `coffer.v1.SuccessorGroup`.
package struct SuccessorGroup: Sendable, Equatable {
    /// Index in the model.
    package var entity: Int
    /// Of the objects that are gone.
    package var primaryKeys: [Int64]
    /// For each the key of the object that it is now.
    package var successors: [Int64]

    /// A message from its fields.
    package init(entity: Int, primaryKeys: [Int64], successors: [Int64]) {
        self.entity = entity
        self.primaryKeys = primaryKeys
        self.successors = successors
    }
}

extension SuccessorGroup: FieldMessage {
    static var name: StaticString { "coffer.v1.SuccessorGroup" }

    var aboutByteCount: Int { 20 + 8 * primaryKeys.count + 8 * successors.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, primaryKeys: [], successors: [])
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = Int(try reader.number32(field))
            case 2: try reader.append(field, to: &primaryKeys)
            case 3: try reader.append(field, to: &successors)
            default: try reader.skip(field)
            }
        }
        try checkFields()
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, numbers: primaryKeys)
        writer.put(3, numbers: successors)
    }
}
