/// Why bytes are not a message, or a message does not fit into bytes.
@nonexhaustive
package enum WireError: Error, Equatable, Sendable {
    /// The bytes are not the named message, or the named field breaks its rule.
    case malformed(String)
    /// The message would pass a limit; both in bytes.
    case tooLarge(what: String, byteCount: Int, limit: Int)
}

extension WireError: CustomStringConvertible {
    /// What is wrong, in a sentence without its full stop.
    package var description: String {
        switch self {
        case .malformed(let text): text
        case .tooLarge(let what, let byteCount, let limit):
            "\(what) has \(byteCount) bytes, and \(limit) are the most"
        }
    }
}
