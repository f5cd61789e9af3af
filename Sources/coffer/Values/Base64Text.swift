import FoundationEssentials

/// Bytes as text.
enum Base64Text {
    static func text(of bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    static func bytes(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { Array($0) } }
}
