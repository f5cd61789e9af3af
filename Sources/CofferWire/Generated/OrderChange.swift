// Made by Protos/generate: do not edit.

/// Members of an ordered relationship that get a place; done after everything else, in order.
///
/// No version moves: moves merge.
///
/// `coffer.v1.OrderChange`.
package struct OrderChange: Sendable, Equatable {
    /// The owners' leaf entity.
    package var entity: Int
    /// Index of the relationship in the entity.
    package var property: Int
    /// Primary keys, or -(1 + place) among the objects that this save inserts, groups in order.
    package var owners: [Int64]
    /// As many as owners, by the same rule; an object that is not a member is left out.
    package var members: [Int64]
    /// As many as owners, by the same rule: the member that it comes behind; 0: it becomes the first.
    package var after: [Int64]

    /// A message from its fields.
    package init(entity: Int, property: Int, owners: [Int64], members: [Int64], after: [Int64]) {
        self.entity = entity
        self.property = property
        self.owners = owners
        self.members = members
        self.after = after
    }
}

extension OrderChange: FieldMessage {
    static var name: StaticString { "coffer.v1.OrderChange" }

    var aboutByteCount: Int { 32 + 8 * owners.count + 8 * members.count + 8 * after.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, property: 0, owners: [], members: [], after: [])
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = Int(try reader.number32(field))
            case 2: property = Int(try reader.number32(field))
            case 3: try reader.append(field, to: &owners)
            case 4: try reader.append(field, to: &members)
            case 5: try reader.append(field, to: &after)
            default: try reader.skip(field)
            }
        }
        try checkFields()
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, number: UInt64(property))
        writer.put(3, numbers: owners)
        writer.put(4, numbers: members)
        writer.put(5, numbers: after)
    }
}
