internal import CofferModel
internal import FoundationEssentials

/// A list of integers, dates, objects or texts as the JSON text that `json_each` reads.
enum JSONList {
    /// The text.
    static func text(_ values: [AttributeValue], form: QueryParameter.Form = .stored) -> String {
        var json: [UInt8] = [UInt8(ascii: "[")]
        for value in values {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            switch value {
            case .integer(let number): json += String(number).utf8
            case .boolean(let isTrue): json.append(UInt8(ascii: isTrue ? "1" : "0"))
            case .date(let date): json += String(date.timeIntervalSinceReferenceDate).utf8
            case .object(let id): json += String(id.primaryKey ?? .min).utf8
            case .string(let text), .uri(let text):
                if case .folded(let options) = form {
                    append(TextFolding.fold(text, options: options), to: &json)
                } else {
                    append(text, to: &json)
                }
            default: json += "null".utf8
            }
        }
        json.append(UInt8(ascii: "]"))
        return String(decoding: json, as: UTF8.self)
    }

    /// The keys as a list.
    static func text(_ keys: [Int64]) -> String {
        var json = "["
        for key in keys {
            if json.utf8.count > 1 { json += "," }
            json += String(key)
        }
        return json + "]"
    }

    private static func append(_ text: String, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                json += "\\u00".utf8
                HexadecimalDigits.append(byte, to: &json)
            default: json.append(byte)
            }
        }
        json.append(UInt8(ascii: "\""))
    }
}

/// Ranges of texts in the order of their bytes.
enum TextRange {
    /// The least text that is greater than all that begin with `prefix`; `nil` if there is none.
    static func end(prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // The order of scalars is that of their bytes in UTF-8; surrogates are not scalars.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            return String(view)
        }
        return nil
    }
}
