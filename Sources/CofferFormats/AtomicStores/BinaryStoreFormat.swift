/// The form of Coffer's own files of whole stores; see "The binary store format" in the documentation.
package enum BinaryStoreFormat {
    /// What every such file begins with: a byte that no text has, a word, and a line end that transfers as
    /// text would change.
    package static let magic: [UInt8] = [0x89] + Array("COFFER".utf8) + [0x0A]
    /// The version that is written, and the only one that is read.
    static let version: UInt16 = 1
    /// Bytes before the digest: magic, version, two of zero, the payload's length.
    static let digestOffset = 20
    /// Bytes before the payload.
    static let headerByteCount = digestOffset + 32

    /// Whether a file begins as ours do.
    package static func recognises(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    /// What follows a value's name, and says of which kind it is.
    enum Kind: UInt8 {
        case integer = 1
        case no = 2
        case yes = 3
        case real = 4
        case decimal = 5
        case text = 6
        case date = 7
        case bytes = 8
    }

    /// The digest of a file: of all its bytes but the digest's own.
    static func digest(header: [UInt8], payload: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(header)
        hash.update(payload)
        return hash.digest()
    }
}
