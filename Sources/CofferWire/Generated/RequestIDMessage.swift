// Made by Protos/generate: do not edit.

package import FoundationEssentials

/// Names a request for ever, so that sending it again applies it once.
///
/// Each save has a number of its own, which is used once the save is written: what comes under it then with
/// is_retry gets the reply of the save that was written, whatever it says, and without is_retry is refused
/// (ALREADY_EXISTS). The service keeps the last 4,096 replies of a client that it has not acknowledged,
/// however old they are.
///
/// `coffer.v1.RequestID`.
package struct RequestIDMessage: Sendable, Equatable {
    /// 16 bytes: the UUID of Hello.
    package var client: UUID
    /// From 1 upwards, one more for each save; 0 is refused.
    package var sequence: UInt64
    /// The client has the replies of all up to this one, and asks for none of them again.
    package var acknowledged: UInt64
    /// This very save may have been sent before.
    package var isRetry: Bool

    /// A message from its fields.
    package init(client: UUID, sequence: UInt64, acknowledged: UInt64, isRetry: Bool = false) {
        self.client = client
        self.sequence = sequence
        self.acknowledged = acknowledged
        self.isRetry = isRetry
    }
}

extension RequestIDMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.RequestID" }

    var aboutByteCount: Int { 38 }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(client: .zero, sequence: 0, acknowledged: 0, isRetry: false)
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        var clientRead: UUID?
        while let field = try reader.nextField() {
            switch field.number {
            case 1: clientRead = try reader.uuid(field, "coffer.v1.RequestID.client")
            case 2: sequence = try reader.fixed(field)
            case 3: acknowledged = try reader.fixed(field)
            case 4: isRetry = try reader.flag(field)
            default: try reader.skip(field)
            }
        }
        guard let clientRead else { throw .malformed("coffer.v1.RequestID.client: absent") }
        client = clientRead
    }

    func write(to writer: inout FieldWriter) {
        writer.always(1, uuid: client)
        writer.put(2, fixed: sequence)
        writer.put(3, fixed: acknowledged)
        writer.put(4, flag: isRetry)
    }
}
