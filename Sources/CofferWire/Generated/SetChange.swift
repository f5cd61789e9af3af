// Made by Protos/generate: do not edit.

/// Objects that enter or leave a to-many relationship that is not kept as the inverse of a to-one
/// relationship.
///
/// `coffer.v1.SetChange`.
package struct SetChange: Sendable, Equatable {
    /// The owners' leaf entity.
    package var entity: Int
    /// Index of the relationship in the entity.
    package var property: Int
    /// Primary keys, or -(1 + place) among the objects that this save inserts, groups in order.
    package var owners: [Int64]
    /// As many as owners, by the same rule.
    package var targets: [Int64]
    /// Bit i % 8 of byte i / 8 is set if the target leaves; empty if all enter.
    package var removed: [UInt8]

    /// A message from its fields.
    package init(entity: Int, property: Int, owners: [Int64], targets: [Int64], removed: [UInt8] = []) {
        self.entity = entity
        self.property = property
        self.owners = owners
        self.targets = targets
        self.removed = removed
    }
}

extension SetChange: FieldMessage {
    static var name: StaticString { "coffer.v1.SetChange" }

    var aboutByteCount: Int { 32 + 8 * owners.count + 8 * targets.count + removed.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, property: 0, owners: [], targets: [], removed: [])
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
            case 4: try reader.append(field, to: &targets)
            case 5: removed = try reader.bytes(field)
            default: try reader.skip(field)
            }
        }
        try checkFields()
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, number: UInt64(property))
        writer.put(3, numbers: owners)
        writer.put(4, numbers: targets)
        writer.put(5, bytes: removed)
    }
}
