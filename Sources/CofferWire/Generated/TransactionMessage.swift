// Made by Protos/generate: do not edit.

/// One commit.
///
/// The feed is ordered, unique, atomic, without gaps and resumable from a token.
///
/// `coffer.v1.Transaction`.
package struct TransactionMessage: Sendable, Equatable {
    /// Its place in the store's history, without gap.
    package var number: UInt64
    /// Seconds since 2001-01-01 00:00 UTC.
    package var timestamp: Double
    /// Who saved, as the request said.
    package var author: String
    /// Which context saved, as the request said.
    package var contextName: String
    /// What the process that saved calls itself.
    package var process: String
    /// The application that saved.
    package var application: String
    /// Why it was written.
    package var origin: TransactionOrigin
    /// What it changed; one group for each entity, kind and set of properties.
    package var changes: [ChangeGroup]
    /// In a push of an import, the deleted objects that became one with others.
    package var successors: [SuccessorGroup]

    /// A message from its fields.
    package init(
        number: UInt64, timestamp: Double, author: String = "", contextName: String = "",
        process: String = "", application: String = "", origin: TransactionOrigin = .save,
        changes: [ChangeGroup] = [], successors: [SuccessorGroup] = []
    ) {
        self.number = number
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.process = process
        self.application = application
        self.origin = origin
        self.changes = changes
        self.successors = successors
    }
}

extension TransactionMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.Transaction" }

    var aboutByteCount: Int {
        42 + author.utf8.count + contextName.utf8.count + process.utf8.count + application.utf8.count
            + changes.aboutByteCount + successors.aboutByteCount
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(
            number: 0, timestamp: 0, author: "", contextName: "", process: "", application: "", origin: .save,
            changes: [], successors: [])
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        var originNumber: UInt32 = 0
        while let field = try reader.nextField() {
            switch field.number {
            case 1: number = try reader.number(field)
            case 2: timestamp = try reader.fixed(field)
            case 3: author = try reader.text(field, "coffer.v1.Transaction.author")
            case 4: contextName = try reader.text(field, "coffer.v1.Transaction.context_name")
            case 5: process = try reader.text(field, "coffer.v1.Transaction.process")
            case 6: application = try reader.text(field, "coffer.v1.Transaction.application")
            case 7: originNumber = try reader.number32(field)
            case 8: try changes.append(reader.message(field), "coffer.v1.Transaction.changes")
            case 9: try successors.append(reader.message(field), "coffer.v1.Transaction.successors")
            default: try reader.skip(field)
            }
        }
        origin = try requiredChoice(originNumber, "coffer.v1.Transaction.origin")
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: number)
        writer.put(2, fixed: timestamp)
        writer.put(3, text: author)
        writer.put(4, text: contextName)
        writer.put(5, text: process)
        writer.put(6, text: application)
        writer.put(7, number: UInt64(origin.wire))
        try writer.put(8, messages: changes)
        try writer.put(9, messages: successors)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
