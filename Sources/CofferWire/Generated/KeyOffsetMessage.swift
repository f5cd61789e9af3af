// Made by Protos/generate: do not edit.

/// What is added to the keys of the objects of one inheritance tree.
///
/// `coffer.v1.KeyOffset`.
package struct KeyOffsetMessage: Sendable, Equatable {
    /// The name of the tree's root.
    package var root: String
    /// Above 0.
    package var offset: UInt64

    /// A message from its fields.
    package init(root: String, offset: UInt64) {
        self.root = root
        self.offset = offset
    }
}

extension KeyOffsetMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.KeyOffset" }

    var aboutByteCount: Int { 14 + root.utf8.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(root: "", offset: 0)
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field.number {
            case 1: root = try reader.text(field, "coffer.v1.KeyOffset.root")
            case 2: offset = try reader.number(field)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, text: root)
        writer.put(2, number: offset)
    }
}
