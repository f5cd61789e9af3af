/// Why bytes are not a message, or a message does not fit into bytes.
@nonexhaustive
package enum WireError: Error, Equatable, Sendable {
    /// The bytes are not the named message, or the named field breaks its rule.
    case malformed(String)
    /// The message would pass a limit; both in bytes.
    case tooLarge(what: String, byteCount: Int, limit: Int)
}
