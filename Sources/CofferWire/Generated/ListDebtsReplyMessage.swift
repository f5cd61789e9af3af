// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// What is not in its container, as far as is known.
///
/// `coffer.v1.ListDebtsReply`.
package struct ListDebtsReplyMessage: Sendable, Equatable {
    /// In the order of application, name and account; stores that owe nothing are left out.
    package var debts: [DebtMessage]

    /// A message from its fields.
    package init(debts: [DebtMessage]) {
        self.debts = debts
    }
}

extension ListDebtsReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListDebtsReply>) {
        unsafe coffer__v1__list_debts_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListDebtsReply>) throws(WireError) {
        let c = unsafe message.pointee
        debts = try unsafe messages(c.debts, count: c.n_debts, field: "coffer.v1.ListDebtsReply.debts")
    }

    func fill(_ c: inout Coffer__V1__ListDebtsReply, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_debts, c.debts) = arena.list(debts)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
