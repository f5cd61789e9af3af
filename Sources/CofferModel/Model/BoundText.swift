import FoundationEssentials

extension AttributeDescription {
    /// What is wrong with a value under the bound, for people; it goes on after the attribute's name.
    package func text(below minimum: Double) -> String {
        switch type {
        case .string, .uri: "is shorter than \(Self.characters(minimum))"
        case .date: "is before \(Self.date(minimum))"
        default: "is below \(Self.number(minimum))"
        }
    }

    /// What is wrong with a value over the bound, for people; it goes on after the attribute's name.
    package func text(above maximum: Double) -> String {
        switch type {
        case .string, .uri: "is longer than \(Self.characters(maximum))"
        case .date: "is after \(Self.date(maximum))"
        default: "is above \(Self.number(maximum))"
        }
    }

    /// What values may be, for people who look at the model.
    package var boundTexts: [String] {
        func text(_ bound: Double, sign: String, time: String) -> String {
            switch type {
            case .string, .uri: "\(sign) \(Self.characters(bound))"
            case .date: "\(time) \(Self.date(bound))"
            default: "\(sign) \(Self.number(bound))"
            }
        }
        return [
            definition.validation.minimum.map { text($0, sign: "at least", time: "not before") },
            definition.validation.maximum.map { text($0, sign: "at most", time: "not after") },
        ].compactMap(\.self)
    }

    private static func characters(_ count: Double) -> String {
        "\(number(count)) character\(count == 1 ? "" : "s")"
    }

    private static func date(_ seconds: Double) -> String {
        // Years so far away that they are never used are beyond what the calendar can format.
        guard abs(seconds) < 1e11 else { return "\(number(seconds)) s since 2001" }
        return Date(timeIntervalSinceReferenceDate: seconds).ISO8601Format()
    }

    private static func number(_ number: Double) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
