import FoundationEssentials

/// Writes predicates in the one canonical way.
///
/// Reading what it writes gives an equal predicate, except that a compound of none or one is written as what
/// it means, that names which are not identifiers cannot be read, and that an object id cannot be read
/// without its model.
struct PredicatePrinter {
    private(set) var text = ""
    private var depth = 0

    mutating func write(_ predicate: QueryPredicate) {
        guard depth < 2 * Limits.predicateDepth else {
            text += "…"
            return
        }
        depth += 1
        defer { depth -= 1 }
        switch predicate {
        case .always(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let parts): writeCompound(parts, " AND ", none: "TRUEPREDICATE")
        case .or(let parts): writeCompound(parts, " OR ", none: "FALSEPREDICATE")
        case .not(let part):
            text += "NOT "
            writeOperand(part)
        case .comparison(let comparison): write(comparison)
        }
    }

    mutating func write(_ expression: QueryExpression) {
        guard depth < 2 * Limits.predicateDepth else {
            text += "…"
            return
        }
        depth += 1
        defer { depth -= 1 }
        switch expression {
        case .constant(let value): text += value.formatText
        case .collection(let elements): writeList(open: "{", elements, close: "}")
        case .evaluatedObject: text += "SELF"
        case .keyPath(let keys): write(keys: keys, isFirst: true)
        case .variable(let name, let keys):
            text += "$" + name
            write(keys: keys, isFirst: false)
        case .function(let name, let arguments): write(function: name, arguments)
        case .subquery(let collection, let variable, let predicate, let keys):
            text += "SUBQUERY("
            write(collection)
            text += ", $\(variable), "
            write(predicate)
            text += ")"
            write(keys: keys, isFirst: false)
        case .conditional(let predicate, let then, let otherwise):
            text += "TERNARY("
            write(predicate)
            writeList(open: ", ", [then, otherwise], close: ")")
        }
    }
}

extension PredicatePrinter {
    private mutating func writeCompound(_ parts: [QueryPredicate], _ separator: String, none: String) {
        guard parts.count != 1 else { return write(parts[0]) }
        if parts.isEmpty { text += none }
        for (index, part) in parts.enumerated() {
            if index > 0 { text += separator }
            writeOperand(part)
        }
    }

    /// Writes a part of a compound, in parentheses if it is one itself.
    private mutating func writeOperand(_ predicate: QueryPredicate) {
        switch predicate {
        case .and(let parts) where parts.count > 1, .or(let parts) where parts.count > 1:
            text += "("
            write(predicate)
            text += ")"
        case .and(let parts) where parts.count == 1, .or(let parts) where parts.count == 1:
            writeOperand(parts[0])
        case .always, .and, .or, .not, .comparison: write(predicate)
        }
    }

    private mutating func write(_ comparison: QueryComparison) {
        switch comparison.modifier {
        case .direct: break
        case .any: text += "ANY "
        case .all: text += "ALL "
        case .none: text += "NONE "
        }
        write(comparison.left)
        text += " " + comparison.operator.spelling + comparison.options.spelling + " "
        write(comparison.right)
    }

    private mutating func writeList(open: String, _ elements: [QueryExpression], close: String) {
        text += open
        for (index, element) in elements.enumerated() {
            if index > 0 { text += ", " }
            write(element)
        }
        text += close
    }

    private mutating func write(keys: [String], isFirst: Bool) {
        for (index, key) in keys.enumerated() {
            if index > 0 || !isFirst { text += "." }
            let isReserved = FormatToken.reservedWords.contains(key.uppercased())
            text += index == 0 && isFirst && isReserved ? "#" + key : key
        }
    }

    private mutating func write(function name: String, _ arguments: [QueryExpression]) {
        let function = QueryFunction(rawValue: name)
        if let sign = function?.sign, arguments.count == 2 {
            writeArithmeticOperand(arguments[0])
            text += " \(sign) "
            writeArithmeticOperand(arguments[1])
        } else if function == .element, arguments.count == 2 {
            writeArithmeticOperand(arguments[0])
            // In brackets these words have a meaning of their own.
            let isWord = ["FIRST", "LAST", "SIZE"].contains(arguments[1].firstKey?.uppercased())
            writeList(open: isWord ? "[#" : "[", [arguments[1]], close: "]")
        } else if function == .valueForKeyPath, arguments.count == 2, arguments[0].mayHaveKeys,
            let keys = arguments[1].constantKeys, keys.allSatisfy(\.isKey)
        {
            writeArithmeticOperand(arguments[0])
            write(keys: keys, isFirst: false)
        } else if function == .cast {
            writeList(open: "CAST(", arguments, close: ")")
        } else if function == nil, QueryFunction(name: name) == nil, let operand = arguments.first {
            writeList(
                open: "FUNCTION(", [operand, .constant(.string(name))] + arguments.dropFirst(), close: ")")
        } else {
            writeList(open: name + "(", arguments, close: ")")
        }
    }

    /// Writes an operand of a sign, in parentheses if it is written with a sign itself.
    private mutating func writeArithmeticOperand(_ expression: QueryExpression) {
        guard case .function(let name, _) = expression, QueryFunction(rawValue: name)?.sign != nil else {
            return write(expression)
        }
        text += "("
        write(expression)
        text += ")"
    }
}

extension QueryExpression {
    fileprivate var firstKey: String? {
        if case .keyPath(let keys) = self { keys.first } else { nil }
    }

    /// Whether it is a call that a dot and keys can be written behind.
    fileprivate var mayHaveKeys: Bool {
        if case .conditional = self { return true }
        guard case .function(let name, let parts) = self, let function = QueryFunction(rawValue: name) else {
            return false
        }
        return function != .valueForKeyPath && function.argumentCount == parts.count
    }
}

extension String {
    /// Whether it can be written behind a dot.
    fileprivate var isKey: Bool {
        let name = hasPrefix("@") ? utf8.dropFirst() : utf8[...]
        return !name.isEmpty && !FormatLexer.isDigit(name.first) && name.allSatisfy(FormatLexer.isNameByte)
    }
}

extension QueryComparison.Options {
    fileprivate var spelling: String {
        guard !isEmpty else { return "" }
        let letters: [(QueryComparison.Options, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"),
            (.localeSensitive, "l"),
        ]
        return "[" + letters.filter { contains($0.0) }.map(\.1).joined() + "]"
    }
}

extension AttributeValue {
    /// The constant as a format writes it.
    var formatText: String {
        switch self {
        case .null: "nil"
        case .integer(let value): "\(value)"
        case .boolean(let value): value ? "YES" : "NO"
        case .double(let value): value.isFinite ? "\(value)" : cast("\"\(value)\"", .double)
        case .float(let value): cast(value.isFinite ? "\(value)" : "\"\(value)\"", .float)
        case .decimal(let value): cast("\"\(value)\"", .decimal)
        case .string(let text): quoted(text)
        case .date(let date): cast(Self.double(date.timeIntervalSinceReferenceDate).formatText, .date)
        case .binary(let bytes): cast(hexadecimal(bytes), .binary)
        case .uuid(let uuid): cast(quoted(uuid.uuidString), .uuid)
        case .uri(let text): cast(quoted(text), .uri)
        case .transformable(let bytes): cast(hexadecimal(bytes), .transformable)
        case .object(let id): "CAST(\(quoted(id.uri)), \"NSManagedObjectID\")"
        }
    }

    private func cast(_ text: String, _ type: QueryCast) -> String { "CAST(\(text), \"\(type.rawValue)\")" }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        quoted(HexadecimalDigits.text(of: bytes))
    }

    private func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension QueryPredicate: CustomStringConvertible {
    /// The predicate in the one canonical way of writing it; `QueryPredicate(format:)` reads it.
    ///
    /// Written with `==`, double quotes, capitals and one space between words; groups keep their parentheses.
    /// What has no notation of its own stands in a cast, for example `CAST("1.50", "NSDecimalNumber")`.
    public var format: String {
        var printer = PredicatePrinter()
        printer.write(self)
        return printer.text
    }

    /// The text that `format` gives.
    public var description: String { format }
}

extension QueryExpression: CustomStringConvertible {
    /// The expression in the one canonical way of writing it; `QueryExpression(format:)` reads it.
    public var format: String {
        var printer = PredicatePrinter()
        printer.write(self)
        return printer.text
    }

    /// The text that `format` gives.
    public var description: String { format }
}
