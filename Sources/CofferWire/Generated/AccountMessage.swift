// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// A person whose data several machines share.
///
/// `coffer.v1.Account`.
package struct AccountMessage: Sendable, Equatable {
    /// Its number here, the same for ever; that of its object on the bus.
    package var number: UInt32
    /// 16 bytes: which account it is, as the marker in its folder says.
    package var root: [UInt8]
    /// What its person calls it on this machine.
    package var name: String
    /// The absolute path of its folder when it was last signed in to.
    package var path: String
    /// Whether it is signed in to.
    package var isSignedIn: Bool
    /// Since when, in seconds since 2001-01-01 UTC.
    package var since: Double

    /// A message from its fields.
    package init(number: UInt32, root: [UInt8], name: String, path: String, isSignedIn: Bool, since: Double) {
        self.number = number
        self.root = root
        self.name = name
        self.path = path
        self.isSignedIn = isSignedIn
        self.since = since
    }
}

extension AccountMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Account>) {
        unsafe coffer__v1__account__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Account>) throws(WireError) {
        let c = unsafe message.pointee
        number = unsafe c.number
        root = try unsafe c.root.array("coffer.v1.Account.root", count: 16)
        name = try unsafe c.name.text("coffer.v1.Account.name")
        path = try unsafe c.path.text("coffer.v1.Account.path", limit: Limits.text)
        isSignedIn = unsafe c.signed_in != 0
        since = unsafe c.since
    }

    func fill(_ c: inout Coffer__V1__Account, in arena: inout PackArena) {
        unsafe c.number = number
        unsafe c.root = arena.data(root)
        unsafe c.name = arena.text(name)
        unsafe c.path = arena.text(path)
        unsafe c.signed_in = isSignedIn ? 1 : 0
        unsafe c.since = since
    }
}
