import FoundationEssentials

/// Base 64 of RFC 4648, as Core Data writes digests of models.
package enum Base64 {
    /// The text of `bytes`, padded.
    package static func text(of bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
    }

    /// The bytes of `text`, or `nil` if it is not valid base 64; white space between is passed over.
    package static func bytes(of text: String) -> [UInt8]? {
        let compact = text.filter { !$0.isWhitespace }
        return Data(base64Encoded: compact).map { Array($0) }
    }
}
