// Made by Protos/generate: do not edit.

/// The answer, and over a channel what comes before it if the caller takes items: how far it has come.
///
/// `coffer.v1.CopyStoreReply`.
package struct CopyStoreReplyMessage: Sendable, Equatable {
    /// How many are copied.
    package var copiedCount: UInt64
    /// How many there are.
    package var totalCount: UInt64
    /// In the answer only.
    package var made: CopiedStoreMessage?

    /// A message from its fields.
    package init(copiedCount: UInt64, totalCount: UInt64, made: CopiedStoreMessage? = nil) {
        self.copiedCount = copiedCount
        self.totalCount = totalCount
        self.made = made
    }
}

extension CopyStoreReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.CopyStoreReply" }
    static var readLimit: MessageLimit { .request }

    var aboutByteCount: Int { 20 + (made?.aboutByteCount ?? 0) }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(copiedCount: 0, totalCount: 0, made: nil)
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        var madeRun = MergedRun()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: copiedCount = try reader.number(field)
            case 2: totalCount = try reader.number(field)
            case 3: unsafe madeRun.take(try reader.run(field))
            default: try reader.skip(field)
            }
        }
        made = try reader.message(of: madeRun)
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: copiedCount)
        writer.put(2, number: totalCount)
        if let made { try writer.put(3, message: made) }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
