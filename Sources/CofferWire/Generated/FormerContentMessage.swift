// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// A file of a shared store that is served no more: its container was deleted or replaced, or its content was
/// not wanted.
///
/// `coffer.v1.FormerContent`.
package struct FormerContentMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// Which of its files; it keeps the number.
    package var number: UInt64
    /// The number of the account that it belongs to; 0: no account's.
    package var account: UInt32?
    /// When it was put aside, in seconds since 2001-01-01 UTC.
    package var since: Double
    /// When it is deleted, in seconds since 2001-01-01 UTC.
    package var until: Double
    /// How much room it takes.
    package var byteCount: UInt64

    /// A message from its fields.
    package init(
        name: StoreNameMessage, number: UInt64, account: UInt32?, since: Double, until: Double,
        byteCount: UInt64
    ) {
        self.name = name
        self.number = number
        self.account = account
        self.since = since
        self.until = until
        self.byteCount = byteCount
    }
}

extension FormerContentMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__FormerContent>) {
        unsafe coffer__v1__former_content__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__FormerContent>) throws(WireError) {
        let c = unsafe message.pointee
        name = try unsafe required(c.name, "coffer.v1.FormerContent.name")
        number = unsafe c.number
        account = unsafe c.account == 0 ? nil : c.account
        since = unsafe c.since
        until = unsafe c.until
        byteCount = unsafe c.byte_count
    }

    func fill(_ c: inout Coffer__V1__FormerContent, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.number = number
        unsafe c.account = account ?? 0
        unsafe c.since = since
        unsafe c.until = until
        unsafe c.byte_count = byteCount
    }
}
