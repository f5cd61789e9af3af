// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// What the model forbids and merging brought about.
///
/// `coffer.v1.ListViolationsReply`.
package struct ListViolationsReplyMessage: Sendable, Equatable {
    /// How many there are.
    package var count: UInt64
    /// Of these the first 1000.
    package var violations: [SyncViolationMessage]

    /// A message from its fields.
    package init(count: UInt64, violations: [SyncViolationMessage]) {
        self.count = count
        self.violations = violations
    }
}

extension ListViolationsReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListViolationsReply>) {
        unsafe coffer__v1__list_violations_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListViolationsReply>) throws(WireError) {
        let c = unsafe message.pointee
        count = unsafe c.count
        violations = try unsafe messages(
            c.violations, count: c.n_violations, field: "coffer.v1.ListViolationsReply.violations")
    }

    func fill(_ c: inout Coffer__V1__ListViolationsReply, in arena: inout PackArena) throws(WireError) {
        unsafe c.count = count
        try unsafe (c.n_violations, c.violations) = arena.list(violations)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
