internal import CofferModel
internal import CofferWire

/// Texts as the formats of dumps want them, byte by byte.
enum DumpText {
    /// A decimal's digits with its point in its place, but for those that would have many zeros.
    static func plain(_ parts: DecimalParts) -> String {
        let (places, digits) = (-Int(parts.exponent), String(parts.mantissa))
        guard (1...40).contains(places) else { return parts.text }
        let filled = String(repeating: "0", count: max(places + 1 - digits.count, 0)) + digits
        return (parts.isNegative ? "-" : "") + filled.dropLast(places) + "." + filled.suffix(places)
    }

    /// The text of a UUID's 16 bytes.
    static func uuid(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text.append(UInt8(ascii: "-")) }
            text += [capitalDigits[Int(byte >> 4)], capitalDigits[Int(byte & 15)]]
        }
        return text
    }

    private static let capitalDigits = Array("0123456789ABCDEF".utf8)

    static func appendJSON(_ text: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case 0..<0x20, 0x7F:
                bytes += "\\u00".utf8
                HexadecimalDigits.append(byte, to: &bytes)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// An empty text is quoted, so that it differs from null.
    static func appendCSV(_ text: [UInt8], to bytes: inout [UInt8]) {
        let isPlain = text.allSatisfy { byte in
            byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\n")
                && byte != UInt8(ascii: "\r")
        }
        let space = UInt8(ascii: " ")
        if isPlain, let first = text.first, first != space, text.last != space {
            bytes += text
        } else {
            appendQuoted(text, by: UInt8(ascii: "\""), to: &bytes)
        }
    }

    static func appendSQL(_ text: [UInt8], to bytes: inout [UInt8]) {
        // No text of SQL holds a zero.
        if text.contains(0) {
            bytes += "CAST(".utf8
            appendHex(text, to: &bytes)
            bytes += " AS TEXT)".utf8
        } else {
            appendQuoted(text, by: UInt8(ascii: "'"), to: &bytes)
        }
    }

    static func appendHex(_ data: [UInt8], to bytes: inout [UInt8]) {
        bytes += "x'".utf8
        HexadecimalDigits.append(data, to: &bytes)
        bytes.append(UInt8(ascii: "'"))
    }

    /// Whether XML 1.0 can say the text.
    static func fitsXML(_ text: [UInt8]) -> Bool {
        for (place, byte) in text.enumerated() {
            if byte < 0x20, byte != 9, byte != 10, byte != 13 { return false }
            // U+FFFE and U+FFFF.
            if byte == 0xEF, place + 2 < text.count, text[place + 1] == 0xBF, text[place + 2] >= 0xBE {
                return false
            }
        }
        return true
    }

    static func appendXML(_ text: [UInt8], to bytes: inout [UInt8]) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            // A reader would make another white space of these.
            case 9, 10, 13: bytes += "&#\(byte);".utf8
            default: bytes.append(byte)
            }
        }
    }

    private static func appendQuoted(_ text: [UInt8], by quote: UInt8, to bytes: inout [UInt8]) {
        bytes.append(quote)
        for byte in text {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }
}
