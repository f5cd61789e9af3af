internal import CofferModel

extension PredicateCompiler {
    /// Whether a text has another in it, at its beginning or end, or has a form.
    func text(
        _ left: QueryOperand, _ comparison: QueryComparison.Operator, _ right: QueryOperand,
        _ options: QueryComparison.Options
    ) throws(QueryError) -> SQLFragment {
        for operand in [left, right] {
            if let kind = operand.kind, kind != .text {
                throw .invalidOperand("\(kind.rawValue) stands where a text is needed")
            }
        }
        if left.isNull || right.isNull { return "0" }
        let folding = options.folding
        let form = QueryParameter.Form.folding(folding)
        let whole = try fold(left, options: options, form: form)
        let part = try fold(right, options: options, form: form)
        switch comparison {
        case .beginsWith:
            guard folding.isEmpty, case .constant(let number, _) = right, !left.isConstant else {
                return "instr(\(whole), \(part)) = 1"
            }
            // A range, for which an index can be used.
            let end = QueryParameter(source: .constant(number), form: .prefixEnd)
            return "(\(whole) >= \(part) AND \(whole) < \(end))"
        case .endsWith:
            // As bytes: substr counts the characters of a text only up to its first zero.
            let (whole, part): (SQLFragment, SQLFragment) = (
                "CAST(\(whole) AS BLOB)", "CAST(\(part) AS BLOB)"
            )
            return
                "(length(\(part)) = 0 AND \(whole) IS NOT NULL OR substr(\(whole), -length(\(part))) = \(part))"
        case .like: return try call("COFFER_LIKE", of: left, right, options: options)
        case .matches: return try call("COFFER_MATCH", of: left, right, options: options)
        default:
            return indexed(
                "instr(\(whole), \(part)) > 0", comparing: left, comparison, right, folding: folding)
        }
    }

    /// The condition that a text has another in it, asked only of what a full-text index finds, if there is
    /// one.
    ///
    /// The index finds all rows that fit, besides rows that it does not know yet. If it cannot find them,
    /// since the text is too short, all rows are compared. So the answer does not depend on the index, and
    /// SQLite may begin with what is found.
    private func indexed(
        _ condition: SQLFragment, comparing left: QueryOperand, _ comparison: QueryComparison.Operator,
        _ right: QueryOperand, folding: QueryComparison.Options
    ) -> SQLFragment {
        guard comparison == .contains, folding == TextIndex.folding,
            case .constant(let number, .string) = right,
            case .scalar(let column, _) = left, let text = indexedTexts[column.text]
        else { return condition }
        let index = text.index
        let phrase = QueryParameter(source: .constant(number), form: .phrase(column: text.column))
        let isUnknown = QueryParameter(source: .constant(number), form: .isNoPhrase)
        let found: SQLFragment =
            "SELECT rowid FROM \(name: index.name) WHERE \(name: index.name) MATCH \(phrase)"
        let waiting: SQLFragment = "SELECT key FROM \(name: index.queue)"
        let all: SQLFragment = "SELECT Z_PK FROM \(name: index.table) WHERE \(isUnknown)"
        return "(\(text.key) IN (\(found) UNION ALL \(waiting) UNION ALL \(all)) AND \(condition))"
    }

    private func call(
        _ name: SQLFragment, of left: QueryOperand, _ right: QueryOperand, options: QueryComparison.Options
    ) throws(QueryError) -> SQLFragment {
        "\(name)(\(try value(left)), \(try value(right)), \(number: Int(options.folding.rawValue)))"
    }
}

/// A column that a full-text index knows, and the key of its row, as both stand in the SQL.
struct IndexedText {
    let index: TextIndex
    let column: String
    let key: SQLFragment
}

extension QueryParameter.Form {
    /// Folded if there is something to fold.
    static func folding(_ options: QueryComparison.Options) -> QueryParameter.Form {
        options.isEmpty ? .stored : .folded(options)
    }
}
