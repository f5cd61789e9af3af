/// Writes trees of elements as XML documents.
package enum XMLDocumentWriter {
    /// The document with `root`, indented by four spaces; an element has either text or children.
    ///
    /// Characters that XML cannot hold, such as U+0000, become U+FFFD.
    package static func text(of root: XMLElement) -> String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
        append(root, depth: 0, to: &text)
        return text
    }

    private static func append(_ element: XMLElement, depth: Int, to text: inout String) {
        let indent = String(repeating: "    ", count: depth)
        text += "\(indent)<\(element.name)"
        for attribute in element.attributes { text += " \(attribute.name)=\"\(escaped(attribute.value))\"" }
        if !element.children.isEmpty {
            text += ">\n"
            for child in element.children { append(child, depth: depth + 1, to: &text) }
            text += "\(indent)</\(element.name)>\n"
        } else if !element.text.isEmpty {
            text += ">\(escaped(element.text))</\(element.name)>\n"
        } else {
            text += "/>\n"
        }
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "\n", "\r", "\t": text += "&#\(scalar.value);"  // Readers make spaces of them otherwise.
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
