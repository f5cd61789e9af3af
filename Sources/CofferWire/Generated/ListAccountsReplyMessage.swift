// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// All accounts.
///
/// `coffer.v1.ListAccountsReply`.
package struct ListAccountsReplyMessage: Sendable, Equatable {
    /// In the order in which they came to be known.
    package var accounts: [AccountMessage]

    /// A message from its fields.
    package init(accounts: [AccountMessage]) {
        self.accounts = accounts
    }
}

extension ListAccountsReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListAccountsReply>) {
        unsafe coffer__v1__list_accounts_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListAccountsReply>) throws(WireError) {
        let c = unsafe message.pointee
        accounts = try unsafe messages(
            c.accounts, count: c.n_accounts, field: "coffer.v1.ListAccountsReply.accounts")
    }

    func fill(_ c: inout Coffer__V1__ListAccountsReply, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_accounts, c.accounts) = arena.list(accounts)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
