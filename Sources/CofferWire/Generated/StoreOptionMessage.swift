// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// A pragma of SQLite and its value.
///
/// `coffer.v1.StoreOption`.
package struct StoreOptionMessage: Sendable, Equatable {
    /// Name of the pragma.
    package var key: String
    /// As SQLite writes it.
    package var value: String

    /// A message from its fields.
    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}

extension StoreOptionMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__StoreOption>) {
        unsafe coffer__v1__store_option__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__StoreOption>) throws(WireError) {
        let c = unsafe message.pointee
        key = try unsafe c.key.text("coffer.v1.StoreOption.key")
        value = try unsafe c.value.text("coffer.v1.StoreOption.value", limit: Limits.text)
    }

    func fill(_ c: inout Coffer__V1__StoreOption, in arena: inout PackArena) {
        unsafe c.key = arena.text(key)
        unsafe c.value = arena.text(value)
    }
}
