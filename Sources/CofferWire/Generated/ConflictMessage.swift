// Made by Protos/generate: do not edit.

/// An object whose stored version is not that of the snapshot.
///
/// `coffer.v1.Conflict`.
package struct ConflictMessage: Sendable, Equatable {
    /// Leaf entity, by its index in the model.
    package var entity: Int
    /// Of the object.
    package var primaryKey: Int64
    /// Z_OPT that the request named.
    package var snapshotVersion: UInt32
    /// 0: the object is deleted.
    package var storedVersion: UInt32
    /// The stored values; absent if it is deleted.
    package var stored: RowBatch?

    /// A message from its fields.
    package init(
        entity: Int, primaryKey: Int64, snapshotVersion: UInt32, storedVersion: UInt32, stored: RowBatch?
    ) {
        self.entity = entity
        self.primaryKey = primaryKey
        self.snapshotVersion = snapshotVersion
        self.storedVersion = storedVersion
        self.stored = stored
    }
}

extension ConflictMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.Conflict" }

    var aboutByteCount: Int { 30 + (stored?.aboutByteCount ?? 0) }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, primaryKey: 0, snapshotVersion: 0, storedVersion: 0, stored: nil)
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        var storedRun = MergedRun()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = Int(try reader.number32(field))
            case 2: primaryKey = try reader.fixed(field)
            case 3: snapshotVersion = try reader.fixed(field)
            case 4: storedVersion = try reader.fixed(field)
            case 5: unsafe storedRun.take(try reader.run(field))
            default: try reader.skip(field)
            }
        }
        stored = try reader.message(of: storedRun)
        try checkFields()
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, fixed: primaryKey)
        writer.put(3, fixed: snapshotVersion)
        writer.put(4, fixed: storedVersion)
        if let stored { try writer.put(5, message: stored) }
    }
}
