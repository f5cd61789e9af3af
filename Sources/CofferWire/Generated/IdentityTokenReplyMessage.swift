// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// The caller's token.
///
/// `coffer.v1.IdentityTokenReply`.
package struct IdentityTokenReplyMessage: Sendable, Equatable {
    /// 32 bytes: differs for each account and each application; empty if no account is signed in to.
    package var token: [UInt8]

    /// A message from its fields.
    package init(token: [UInt8]) {
        self.token = token
    }
}

extension IdentityTokenReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__IdentityTokenReply>) {
        unsafe coffer__v1__identity_token_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__IdentityTokenReply>) throws(WireError) {
        let c = unsafe message.pointee
        token = try unsafe c.token.digest("coffer.v1.IdentityTokenReply.token")
    }

    func fill(_ c: inout Coffer__V1__IdentityTokenReply, in arena: inout PackArena) {
        unsafe c.token = arena.data(token)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
