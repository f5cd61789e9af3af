internal import CofferModel

/// The SQL of a migration that calls functions of ours; `MigrationFunctions` has them.
enum MigrationSQL {
    static let convert = "COFFER_MIGRATED_VALUE"
    static let convertDigits = "COFFER_MIGRATED_DIGITS"
    static let map = "COFFER_MIGRATED_BY_MAPPING"
    static let mapDigits = "COFFER_MIGRATED_DIGITS_BY_MAPPING"
    static let canMap = "COFFER_MIGRATED_HAS_MAPPING"
    static let toFile = "COFFER_MIGRATED_FILE"
    static let toRow = "COFFER_MIGRATED_ROW"
    static let bitmap = "COFFER_MIGRATED_CHANGES"

    /// Where exact digits stand while tables change.
    static let formerDigits = "COFFER_DECIMAL"

    /// The exact digits beside a column, if it has any.
    static func digits(of column: String, in table: String, isDecimal: Bool) -> RowExpression {
        guard isDecimal else { return .null }
        let property = SQLLiteral.string(column)
        return
            "(SELECT d.digits FROM main.\(formerDigits) d WHERE d.relation = '\(table)' AND d.key = \(column: "Z_PK") AND d.property = \(property))"
    }

    /// The value of another type; null if it has none.
    static func converted(
        _ column: String, digits: RowExpression, by conversion: AttributeConversion
    ) -> RowExpression {
        "\(convert)(\(column: column), \(digits), \(types(conversion)))"
    }

    /// The exact digits of a value that becomes a decimal, if its column does not say them.
    static func convertedDigits(_ column: String, by conversion: AttributeConversion) -> RowExpression {
        "\(convertDigits)(\(column: column), NULL, \(types(conversion)))"
    }

    /// What a function makes of the attributes that an expression of a mapping model reads, in the rows of
    /// `entity`; the expression is at `place` in those of the layout.
    static func mapped(
        _ expression: MappedExpression, at place: Int, of entity: SQLEntity, hasDigits: Bool,
        by function: String = map
    ) -> RowExpression {
        var call: RowExpression = "\(function)(\(String(place))"
        for origin in expression.origins {
            guard case .attribute(let column, _)? = entity.columns[origin.index] else {
                call = "\(call), NULL, NULL"
                continue
            }
            let digits = digits(
                of: column, in: entity.table, isDecimal: hasDigits && origin.type == .decimal)
            call = "\(call), \(column: column), \(digits)"
        }
        return "\(call))"
    }

    /// A value that may be in a file from now on, or may be there no more.
    static func moved(_ column: String, toFiles: Bool) -> RowExpression {
        "\(toFiles ? toFile : toRow)(\(column: column))"
    }

    /// A value as text, for people, cut if it is long.
    static func shown(_ value: String) -> String {
        "CASE typeof(\(value)) WHEN 'blob' THEN hex(substr(\(value), 1, \(Limits.shownValue / 2))) "
            + "ELSE substr(CAST(\(value) AS TEXT), 1, \(Limits.shownValue)) END"
    }

    private static func types(_ conversion: AttributeConversion) -> String {
        "\(conversion.source.rawValue), \(conversion.destination.rawValue)"
    }
}
