import FoundationEssentials

/// How values of one type become values of another, each of which stands for the same.
package struct AttributeConversion: Sendable, Hashable {
    /// The type that the values have.
    package let source: AttributeType
    /// The type that they get.
    package let destination: AttributeType

    /// The conversion between two types; `nil` if their values do not stand for each other.
    package init?(from source: AttributeType, to destination: AttributeType) {
        guard Self.isKnown(source, destination) else { return nil }
        self.source = source
        self.destination = destination
    }

    private static func isKnown(_ source: AttributeType, _ destination: AttributeType) -> Bool {
        if source == destination { return true }
        let isText = { (type: AttributeType) in type == .string || type == .uri }
        let isNumber = { (type: AttributeType) in type.isNumeric || type == .boolean }
        if isText(source) { return isText(destination) || isNumber(destination) || destination == .uuid }
        if isText(destination) { return isNumber(source) || source == .uuid }
        return isNumber(source) && isNumber(destination)
    }

    /// Whether every value stays as it is stored.
    package var keepsStorage: Bool {
        switch (source, destination) {
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64),
            (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64),
            (.string, .uri), (.uri, .string), (.float, .double):
            true
        default: source == destination
        }
    }

    /// The value of the other type; `nil` if there is none that stands for the same, null for null.
    package func convert(_ value: AttributeValue) -> AttributeValue? {
        if value.isNull { return .null }
        switch destination {
        case .integer16, .integer32, .integer64:
            return integer(of: value).map { .integer($0) }.flatMap { $0.fits(destination) ? $0 : nil }
        case .boolean: return boolean(of: value).map { .boolean($0) }
        case .double, .float: return floating(of: value)
        case .decimal: return decimal(of: value).map { .decimal($0) }
        case .string: return QueryCast.string.cast(value)
        case .uri: return QueryCast.string.cast(value)?.textValue.map { .uri($0) }
        case .uuid: return QueryCast.uuid.cast(value)
        case .date, .binary, .transformable: return source == destination ? value : nil
        }
    }

    private func integer(of value: AttributeValue) -> Int64? {
        switch value {
        case .integer(let number): number
        case .boolean(let value): value ? 1 : 0
        case .double(let number): Int64(exactly: number)
        case .float(let number): Int64(exactly: number)
        case .decimal(let number): Int64(number.description)
        default: value.textValue.flatMap { Int64($0) }
        }
    }

    private func boolean(of value: AttributeValue) -> Bool? {
        switch value.textValue?.lowercased() {
        case "true": return true
        case "false": return false
        default: break
        }
        return switch integer(of: value) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    private func floating(of value: AttributeValue) -> AttributeValue? {
        if let text = value.textValue {
            // A text says a float's digits, which are fewer than those of the double that is nearest to them.
            return destination == .double
                ? Double.plain(text).map { .double($0) } : Float.plain(text).map { .float($0) }
        }
        let number: Double?
        switch value {
        case .integer(let integer): number = Double(exactly: integer)
        case .decimal(let decimal):
            number = value.doubleValue.flatMap { Decimal(exactText: "\($0)") == decimal ? $0 : nil }
        default: number = value.doubleValue
        }
        guard let number, !number.isNaN else { return nil }
        if destination == .double { return .double(number) }
        return Double(Float(number)) == number ? .float(Float(number)) : nil
    }

    private func decimal(of value: AttributeValue) -> Decimal? {
        value.textValue.map { Decimal(exactText: $0) } ?? value.decimalValue
    }
}
