// Made by Protos/generate: do not edit.

/// A note about a store, written with a save.
///
/// `coffer.v1.MetadataChange`.
package struct MetadataChangeMessage: Sendable, Equatable {
    /// Unique in the store.
    package var key: String
    /// What it says as a binary property list; empty: the note goes.
    package var propertyList: [UInt8]
    /// What it said when the program changed it, as a binary property list; empty: there was none.
    package var former: [UInt8]

    /// A message from its fields.
    package init(key: String, propertyList: [UInt8] = [], former: [UInt8] = []) {
        self.key = key
        self.propertyList = propertyList
        self.former = former
    }
}

extension MetadataChangeMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.MetadataChange" }

    var aboutByteCount: Int { 20 + key.utf8.count + propertyList.count + former.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(key: "", propertyList: [], former: [])
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field.number {
            case 1: key = try reader.text(field, "coffer.v1.MetadataChange.key")
            case 2: propertyList = try reader.bytes(field)
            case 3: former = try reader.bytes(field)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, text: key)
        writer.put(2, bytes: propertyList)
        writer.put(3, bytes: former)
    }
}
