// Made by Protos/generate: do not edit.

/// The objects at the other end of a to-many relationship, for several owners at once.
///
/// `coffer.v1.RelationshipRequest`.
package struct RelationshipRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// The owners' entity, by its index in the model.
    package var entity: Int
    /// Index of the relationship in the entity.
    package var property: Int
    /// The owners.
    package var primaryKeys: [Int64]
    /// The objects' rows come along, and the client holds them.
    package var withRows: Bool
    /// A state that Pin gave; 0: the present one.
    package var generation: UInt64
    /// Those rows lack the columns of attributes that allow external storage.
    package var withoutExternalValues: Bool

    /// A message from its fields.
    package init(
        store: UInt32, entity: Int, property: Int, primaryKeys: [Int64], withRows: Bool = false,
        generation: UInt64 = 0, withoutExternalValues: Bool = false
    ) {
        self.store = store
        self.entity = entity
        self.property = property
        self.primaryKeys = primaryKeys
        self.withRows = withRows
        self.generation = generation
        self.withoutExternalValues = withoutExternalValues
    }
}

extension RelationshipRequestMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.RelationshipRequest" }
    static var readLimit: MessageLimit { .request }

    var aboutByteCount: Int { 36 + 8 * primaryKeys.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(
            store: 0, entity: 0, property: 0, primaryKeys: [], withRows: false, generation: 0,
            withoutExternalValues: false)
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field.number {
            case 1: store = try reader.number32(field)
            case 2: entity = Int(try reader.number32(field))
            case 3: property = Int(try reader.number32(field))
            case 4: try reader.append(field, to: &primaryKeys)
            case 5: withRows = try reader.flag(field)
            case 6: generation = try reader.number(field)
            case 7: withoutExternalValues = try reader.flag(field)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: UInt64(store))
        writer.put(2, number: UInt64(entity))
        writer.put(3, number: UInt64(property))
        writer.put(4, numbers: primaryKeys)
        writer.put(5, flag: withRows)
        writer.put(6, number: generation)
        writer.put(7, flag: withoutExternalValues)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
