internal import FoundationEssentials

/// Writes property lists in XML, as XML stores keep what they say of themselves.
package enum XMLPropertyListWriter {
    /// The `plist` element with `value`, its lines indented by `depth` steps.
    ///
    /// - Throws: `FormatError.unrepresentable` for text that XML cannot hold, and for what is in binary lists
    ///   only.
    package static func lines(of value: PropertyListValue, depth: Int) throws(FormatError) -> String {
        let indent = String(repeating: "    ", count: depth)
        var text = "\(indent)<plist version=\"1.0\">\n"
        try append(value, key: "", depth: depth + 1, to: &text)
        return text + "\(indent)</plist>\n"
    }

    private static func append(
        _ value: PropertyListValue, key: String, depth: Int, to text: inout String
    ) throws(FormatError) {
        // One text in many places takes little in a binary list, and is written out in each here.
        guard text.utf8.count <= Limits.xmlDocument else {
            throw unrepresentable(key, "all of it has more than \(Limits.xmlDocument) bytes")
        }
        let indent = String(repeating: "    ", count: depth)
        switch value {
        case .dictionary(let values):
            if values.isEmpty {
                text += "\(indent)<dict/>\n"
                return
            }
            text += "\(indent)<dict>\n"
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                text += "\(indent)    <key>\(try escaped(key, key))</key>\n"
                try append(value, key: key, depth: depth + 1, to: &text)
            }
            text += "\(indent)</dict>\n"
        case .array(let values):
            if values.isEmpty {
                text += "\(indent)<array/>\n"
                return
            }
            text += "\(indent)<array>\n"
            for value in values { try append(value, key: key, depth: depth + 1, to: &text) }
            text += "\(indent)</array>\n"
        case .string(let string): text += "\(indent)<string>\(try escaped(string, key))</string>\n"
        case .data(let bytes): text += "\(indent)<data>\n\(Base64.text(of: bytes))\n\(indent)</data>\n"
        case .date(let date):
            guard writtenDates.contains(date.timeIntervalSince1970) else {
                throw unrepresentable(key, "its year is not one of 1 to 9999")
            }
            text += "\(indent)<date>\(date.formatted(.iso8601))</date>\n"
        case .integer(let number): text += "\(indent)<integer>\(number)</integer>\n"
        case .largeInteger(let number): text += "\(indent)<integer>\(number)</integer>\n"
        case .real(let number): text += "\(indent)<real>\(number)</real>\n"
        case .boolean(let isTrue): text += "\(indent)<\(isTrue ? "true" : "false")/>\n"
        case .reference, .null: throw unrepresentable(key, "XML has no such value")
        }
    }

    /// Seconds since 1970 from year 1 to 9999, which ISO 8601 writes with four digits.
    private static let writtenDates = -62_135_596_800.0...253_402_300_799

    private static func escaped(_ text: String, _ key: String) throws(FormatError) -> String {
        guard let escaped = XMLText.escaped(text) else {
            throw unrepresentable(key, "XML cannot hold one of its characters")
        }
        return escaped
    }

    private static func unrepresentable(_ key: String, _ reason: String) -> FormatError {
        .unrepresentable(entity: "metadata", object: "that the store has", property: key, reason: reason)
    }
}
