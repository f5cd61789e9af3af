/// Object paths, and labels of any text within them.
package enum DBusPath {
    /// Whether `path` is an object path.
    package static func isValid(_ path: String) -> Bool {
        guard path.utf8.first == UInt8(ascii: "/") else { return false }
        guard path.utf8.count > 1 else { return true }
        return path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0.allSatisfy(DBusName.isWord) }
    }

    /// Writes any text as one part of an object path.
    ///
    /// Letters and digits stand for themselves (a digit not in front); any other byte is `_` and two small
    /// hexadecimal digits; the empty text is `_`.
    ///
    /// Source: the label escaping of sd_bus_path_encode(3).
    package static func escape(_ label: String) -> String {
        guard !label.isEmpty else { return "_" }
        var result: [UInt8] = []
        for (index, byte) in label.utf8.enumerated() {
            let isPlain = DBusName.isWord(byte) && byte != UInt8(ascii: "_")
            if isPlain, index > 0 || !DBusName.isDigit(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "_"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The text that `escape` wrote, or `nil` if `part` is not what it writes for any text.
    package static func unescape(_ part: String) -> String? {
        if part == "_" { return "" }
        var result: [UInt8] = []
        var rest = Array(part.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "_") else {
                result.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(number), let low = rest.popFirst().flatMap(number) else {
                return nil
            }
            result.append(high << 4 | low)
        }
        guard let text = String(validating: result, as: UTF8.self), escape(text) == part else { return nil }
        return text
    }

    /// The path below `parent` whose parts are `labels`, escaped.
    package static func path(_ parent: String, _ labels: String...) -> String {
        labels.reduce(parent) { ($0 == "/" ? "" : $0) + "/" + escape($1) }
    }

    /// The labels of `path` below `parent`, or `nil` if `path` is not below it or a part is not a valid
    /// label.
    package static func labels(of path: String, below parent: String) -> [String]? {
        let prefix = parent == "/" ? "/" : parent + "/"
        guard path.hasPrefix(prefix), path.utf8.count > prefix.utf8.count else { return nil }
        var labels: [String] = []
        for part in path.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false) {
            guard let label = unescape(String(part)) else { return nil }
            labels.append(label)
        }
        return labels
    }

    private static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }

    private static func number(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
