/// SQL that is computed from a row of a table as it is before a migration; it names columns by their old
/// names.
///
/// If a column has another name by the time that it is computed, `sql` is told so. A value.
struct RowExpression: Hashable, Sendable {
    fileprivate enum Part: Hashable, Sendable {
        case text(String)
        case column(String)
    }

    private let parts: [Part]

    /// Nothing.
    static let null: RowExpression = "NULL"

    /// The value of a column, whose name stands ready for SQL.
    static func column(_ name: String) -> RowExpression { "\(column: name)" }

    /// The text, `name` giving what stands for a column.
    func sql(_ name: (String) -> String = { $0 }) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .column(let column): name(column)
            }
        }.joined()
    }

    /// The text for rows of a table that has the name `prefix` in the statement.
    func sql(of prefix: String) -> String { sql { "\(prefix).\($0)" } }

    /// One value for each kind of row, as the number in column `Z_ENT` says; null for others.
    static func choosing(_ values: [(number: Int, value: RowExpression)]) -> RowExpression {
        guard let first = values.first else { return .null }
        if values.allSatisfy({ $0.value == first.value }) { return first.value }
        var groups: [(value: RowExpression, numbers: [Int])] = []
        for (number, value) in values where value != .null {
            if let place = groups.firstIndex(where: { $0.value == value }) {
                groups[place].numbers.append(number)
            } else {
                groups.append((value, [number]))
            }
        }
        var chosen: RowExpression = "CASE"
        for (value, numbers) in groups {
            chosen = "\(chosen) WHEN \(column: "Z_ENT") IN (\(SQLName.list(numbers))) THEN \(value)"
        }
        return "\(chosen) END"
    }
}

extension RowExpression: ExpressibleByStringInterpolation {
    /// Puts texts, columns and other expressions together.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { appendInterpolation(literal) }

        mutating func appendInterpolation(_ text: String) {
            if text.isEmpty { return }
            guard case .text(let before)? = parts.last else { return parts.append(.text(text)) }
            parts[parts.count - 1] = .text(before + text)
        }

        mutating func appendInterpolation(column name: String) { parts.append(.column(name)) }

        mutating func appendInterpolation(_ expression: RowExpression) {
            for part in expression.parts {
                if case .text(let text) = part { appendInterpolation(text) } else { parts.append(part) }
            }
        }
    }

    init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    init(stringLiteral: String) { parts = [.text(stringLiteral)] }
}

extension SQLName {
    /// Numbers as they stand between the brackets of `IN`.
    static func list(_ numbers: some Sequence<Int>) -> String {
        numbers.map(String.init).joined(separator: ", ")
    }
}
