// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// The account that was signed in to or out of.
///
/// `coffer.v1.AccountReply`.
package struct AccountReplyMessage: Sendable, Equatable {
    /// As it is now.
    package var account: AccountMessage
    /// After signing out: how often its stores have written something that is not in their containers yet.
    package var unexported: UInt64

    /// A message from its fields.
    package init(account: AccountMessage, unexported: UInt64 = 0) {
        self.account = account
        self.unexported = unexported
    }
}

extension AccountReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__AccountReply>) {
        unsafe coffer__v1__account_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__AccountReply>) throws(WireError) {
        let c = unsafe message.pointee
        account = try unsafe required(c.account, "coffer.v1.AccountReply.account")
        unexported = unsafe c.unexported
    }

    func fill(_ c: inout Coffer__V1__AccountReply, in arena: inout PackArena) throws(WireError) {
        try unsafe c.account = arena.make(account)
        unsafe c.unexported = unexported
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
