/// Reading of signatures, by the rules of the D-Bus specification.
package enum DBusSignature {
    /// Splits a signature into its complete types.
    ///
    /// - Throws: `DBusError.invalidSignature`.
    package static func types(in signature: String) throws(DBusError) -> [String] {
        let bytes = Array(signature.utf8)
        guard bytes.count <= Limits.signatureByteCount else { throw .invalidSignature(signature) }
        var result: [String] = []
        var position = 0
        while position < bytes.count {
            guard let end = endOfType(in: bytes, at: position, arrays: 0, structures: 0) else {
                throw .invalidSignature(signature)
            }
            result.append(String(decoding: bytes[position..<end], as: UTF8.self))
            position = end
        }
        return result
    }

    /// Whether `signature` is one that a body may have, the empty one included.
    package static func isValid(_ signature: String) -> Bool {
        (try? types(in: signature)) != nil  // The error says no more than the answer.
    }

    /// Whether `signature` is one complete type, as a variant or a property has.
    package static func isSingleType(_ signature: String) -> Bool {
        let bytes = Array(signature.utf8)
        guard bytes.count <= Limits.signatureByteCount, !bytes.isEmpty else { return false }
        return endOfType(in: bytes, at: 0, arrays: 0, structures: 0) == bytes.count
    }

    /// Where the type at `start` ends, or `nil` if no valid type begins there.
    private static func endOfType(in bytes: [UInt8], at start: Int, arrays: Int, structures: Int) -> Int? {
        guard start < bytes.count, arrays <= Limits.nesting, structures <= Limits.nesting else { return nil }
        switch bytes[start] {
        case UInt8(ascii: "a"):
            guard start + 1 < bytes.count, arrays < Limits.nesting else { return nil }
            guard bytes[start + 1] == UInt8(ascii: "{") else {
                return endOfType(in: bytes, at: start + 1, arrays: arrays + 1, structures: structures)
            }
            return endOfEntry(in: bytes, at: start + 1, arrays: arrays + 1, structures: structures)
        case UInt8(ascii: "("):
            return endOfStructure(in: bytes, at: start, arrays: arrays, structures: structures + 1)
        case UInt8(ascii: "v"):
            return start + 1
        case let code:
            return isBasic(code) ? start + 1 : nil
        }
    }

    private static func endOfStructure(in bytes: [UInt8], at start: Int, arrays: Int, structures: Int) -> Int?
    {
        var position = start + 1
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: ")") { return position == start + 1 ? nil : position + 1 }
            let next = endOfType(in: bytes, at: position, arrays: arrays, structures: structures)
            guard let next else { return nil }
            position = next
        }
        return nil
    }

    private static func endOfEntry(in bytes: [UInt8], at start: Int, arrays: Int, structures: Int) -> Int? {
        guard start + 1 < bytes.count, isBasic(bytes[start + 1]) else { return nil }
        let end = endOfType(in: bytes, at: start + 2, arrays: arrays, structures: structures + 1)
        guard let end, end < bytes.count, bytes[end] == UInt8(ascii: "}") else { return nil }
        return end + 1
    }

    private static func isBasic(_ code: UInt8) -> Bool {
        switch code {
        case UInt8(ascii: "y"), UInt8(ascii: "b"), UInt8(ascii: "n"), UInt8(ascii: "q"), UInt8(ascii: "i"),
            UInt8(ascii: "u"), UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "s"),
            UInt8(ascii: "o"), UInt8(ascii: "g"), UInt8(ascii: "h"):
            true
        default: false
        }
    }
}
