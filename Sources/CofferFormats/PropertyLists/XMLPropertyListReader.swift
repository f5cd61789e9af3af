import FoundationEssentials

/// Reads property lists in XML: what Xcode keeps beside models, and what XML stores keep of themselves.
package enum XMLPropertyListReader {
    /// The value that a document in `bytes` describes; errors call it `file`.
    ///
    /// - Throws: `FormatError.malformed` or `.refused`, naming line and element.
    package static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> PropertyListValue {
        try value(in: XMLDocumentReader.read(bytes, file: file), file: file)
    }

    /// The value inside a `plist` element.
    package static func value(in plist: XMLElement, file: String) throws(FormatError) -> PropertyListValue {
        guard plist.name == "plist", plist.children.count == 1 else {
            throw error(at: plist, in: file, "a 'plist' with one value is expected")
        }
        return try value(of: plist.children[0], file: file)
    }

    private static func value(of element: XMLElement, file: String) throws(FormatError) -> PropertyListValue {
        switch element.name {
        case "dict": return .dictionary(try members(of: element, file: file))
        case "array":
            var values: [PropertyListValue] = []
            for child in element.children { values.append(try value(of: child, file: file)) }
            return .array(values)
        case "string": return .string(element.text)
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        default: break
        }
        guard let scalar = scalar(of: element) else {
            throw error(at: element, in: file, "it is not a value of a property list")
        }
        return scalar
    }

    /// The value of an element without parts, or `nil` if it has no such value.
    private static func scalar(of element: XMLElement) -> PropertyListValue? {
        switch element.name {
        case "integer":
            Int64(element.text).map { .integer($0) } ?? UInt64(element.text).map { .largeInteger($0) }
        case "real": Double(element.text).map { .real($0) }
        case "data": Base64.bytes(of: element.text).map { .data($0) }
        // The caller says what it is that is not a date.
        case "date": (try? Date(element.text, strategy: .iso8601)).map { .date($0) }
        default: nil
        }
    }

    private static func members(
        of element: XMLElement, file: String
    ) throws(FormatError) -> [String: PropertyListValue] {
        var values: [String: PropertyListValue] = [:]
        var key: String?
        for child in element.children {
            if let name = key {
                values[name] = try value(of: child, file: file)
                key = nil
            } else {
                guard child.name == "key" else { throw error(at: child, in: file, "a 'key' is expected") }
                key = child.text
            }
        }
        guard key == nil else { throw error(at: element, in: file, "the last key has no value") }
        return values
    }

    private static func error(at element: XMLElement, in file: String, _ reason: String) -> FormatError {
        .malformed(
            at: TextLocation(
                file: file, line: element.line, column: element.column, element: element.label),
            reason: reason)
    }
}
