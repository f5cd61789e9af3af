// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Which account is signed in to: that of the marker in the folder, or a new one.
///
/// `coffer.v1.SignInRequest`.
package struct SignInRequestMessage: Sendable, Equatable {
    /// What it is called here.
    package var name: String
    /// The absolute path of its folder.
    package var path: String

    /// A message from its fields.
    package init(name: String, path: String) {
        self.name = name
        self.path = path
    }
}

extension SignInRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SignInRequest>) {
        unsafe coffer__v1__sign_in_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SignInRequest>) throws(WireError) {
        let c = unsafe message.pointee
        name = try unsafe c.name.text("coffer.v1.SignInRequest.name")
        path = try unsafe c.path.text("coffer.v1.SignInRequest.path", limit: Limits.text)
    }

    func fill(_ c: inout Coffer__V1__SignInRequest, in arena: inout PackArena) {
        unsafe c.name = arena.text(name)
        unsafe c.path = arena.text(path)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
