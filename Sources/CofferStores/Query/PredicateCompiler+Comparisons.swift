internal import CofferModel

extension PredicateCompiler {
    /// Compares two operands of one value each, or one with a list.
    func compare(
        _ left: QueryOperand, _ comparison: QueryComparison.Operator, _ right: QueryOperand,
        _ options: QueryComparison.Options
    ) throws(QueryError) -> SQLFragment {
        switch comparison {
        case .equal: return try equal(left, right, options: options)
        case .notEqual: return try notEqual(left, right, options: options)
        case .less: return try ordered(left, "<", to: right, options: options)
        case .lessOrEqual: return try ordered(left, "<=", to: right, options: options)
        case .greater: return try ordered(left, ">", to: right, options: options)
        case .greaterOrEqual: return try ordered(left, ">=", to: right, options: options)
        case .between: return try between(left, right, options: options)
        case .in: return try member(left, of: right, options: options)
        case .contains:
            if case .list = left { return try member(right, of: left, options: options) }
            if case .elements = left { return try member(right, of: left, options: options) }
            return try text(left, .contains, right, options)
        case .beginsWith, .endsWith, .like, .matches: return try text(left, comparison, right, options)
        }
    }

    /// Whether both operands are equal, or both are null.
    func equal(_ left: QueryOperand, _ right: QueryOperand, options: QueryComparison.Options)
        throws(QueryError) -> SQLFragment
    {
        try check(left, right)
        if left.isNull && right.isNull { return "1" }
        if right.isNull { return "\(try presence(left)) IS NULL" }
        if left.isNull { return "\(try presence(right)) IS NULL" }
        let (a, b) = try values(left, right, options: options)
        return left.isConstant || right.isConstant ? "\(a) = \(b)" : "\(a) IS \(b)"
    }

    private func notEqual(_ left: QueryOperand, _ right: QueryOperand, options: QueryComparison.Options)
        throws(QueryError) -> SQLFragment
    {
        try check(left, right)
        if left.isNull && right.isNull { return "0" }
        if right.isNull { return "\(try presence(left)) IS NOT NULL" }
        if left.isNull { return "\(try presence(right)) IS NOT NULL" }
        let (a, b) = try values(left, right, options: options)
        return "\(a) IS NOT \(b)"
    }

    private func ordered(
        _ left: QueryOperand, _ sign: SQLFragment, to right: QueryOperand, options: QueryComparison.Options
    ) throws(QueryError) -> SQLFragment {
        try check(left, right)
        guard left.kind != .object, right.kind != .object else {
            throw .invalidOperand("objects have no order")
        }
        if left.isNull || right.isNull { return "0" }
        let (a, b) = try values(left, right, options: options)
        return "\(a) \(sign) \(b)"
    }

    private func between(_ left: QueryOperand, _ right: QueryOperand, options: QueryComparison.Options)
        throws(QueryError) -> SQLFragment
    {
        let bounds: (low: QueryOperand, high: QueryOperand)
        switch right {
        case .list(let number, let list):
            if list.hasNull { return "0" }
            guard list.values.count == 2 else { throw .invalidOperand("BETWEEN needs two values") }
            let form = form(for: left, options)
            try check(left, right)
            let (value, low, high) = (
                try fold(left, options: options, form: form),
                QueryParameter(source: .element(list: number, index: 0), form: form),
                QueryParameter(source: .element(list: number, index: 1), form: form)
            )
            return "\(value) BETWEEN \(low) AND \(high)"
        case .elements(let elements) where elements.count == 2: bounds = (elements[0], elements[1])
        default: throw .invalidOperand("BETWEEN needs two values")
        }
        let low = try ordered(left, ">=", to: bounds.low, options: options)
        return "(\(low) AND \(try ordered(left, "<=", to: bounds.high, options: options)))"
    }

    private func member(_ left: QueryOperand, of right: QueryOperand, options: QueryComparison.Options)
        throws(QueryError) -> SQLFragment
    {
        switch right {
        case .list(let number, let list): return try member(left, ofList: number, list, options: options)
        case .elements(let elements):
            var conditions: [SQLFragment] = []
            for element in elements { conditions.append(try equal(left, element, options: options)) }
            return SQLFragment.joined(conditions, by: "OR", whenEmpty: "0")
        case .constant, .scalar: return try text(right, .contains, left, options)
        case .object, .many: throw .invalidOperand("IN needs a list, a text or a to-many key path")
        }
    }

    private func member(
        _ left: QueryOperand, ofList number: Int, _ list: ConstantList, options: QueryComparison.Options
    ) throws(QueryError) -> SQLFragment {
        try check(left, .list(number, list))
        let isNull: SQLFragment = list.hasNull ? "\(try presence(left)) IS NULL" : "0"
        if list.values.isEmpty { return isNull }
        let form = form(for: left, options)
        if case .uuid = form, list.fitsJSON {
            // JSON has no blobs; so the column is spelled, too.
            let texts: SQLFragment = "SELECT lower(replace(value, '-', '')) FROM json_each("
            let condition: SQLFragment =
                "lower(hex(\(try value(left)))) IN (\(texts)\(QueryParameter(source: .json(list: number)))))"
            return list.hasNull ? "(\(condition) OR \(isNull))" : condition
        }
        let members: SQLFragment
        if list.fitsJSON {
            members =
                "SELECT value FROM json_each(\(QueryParameter(source: .json(list: number), form: form)))"
        } else {
            members = SQLFragment.list(
                (0..<list.parameterCount).map {
                    "\(QueryParameter(source: .element(list: number, index: $0), form: form))"
                })
        }
        let condition: SQLFragment = "\(try fold(left, options: options, form: form)) IN (\(members))"
        return list.hasNull ? "(\(condition) OR \(isNull))" : condition
    }
}

extension PredicateCompiler {
    /// Refuses what cannot be compared: values of different kinds, or objects that are never at this place.
    func check(_ left: QueryOperand, _ right: QueryOperand) throws(QueryError) {
        guard let a = left.kind else { return }
        if let b = right.kind, !a.fits(b) {
            throw .invalidOperand("\(a.rawValue) is compared with \(b.rawValue)")
        }
        if case .list(_, let list) = right {
            for value in list.kinds.compactMap({ QueryValueKind($0) }) where !a.fits(value) {
                throw .invalidOperand("\(a.rawValue) is looked for in a list that has \(value.rawValue)")
            }
        }
        try checkObjects(left, right)
        try checkObjects(right, left)
    }

    private func checkObjects(_ operand: QueryOperand, _ other: QueryOperand) throws(QueryError) {
        guard case .object(let place) = operand else { return }
        let values: [AttributeValue]
        switch other {
        case .constant(_, let value): values = [value]
        case .list(_, let list): values = list.kinds
        default: return
        }
        let entity = schema.model.entities[place.entity.index]
        for case .object(let id) in values {
            // An id may name its object by an entity that the object's own inherits from.
            let own = schema.model.entity(named: id.entity.name)
            guard let own, own.isKind(of: entity) || entity.isKind(of: own) else {
                throw .invalidOperand(
                    "an object of '\(id.entity.name)' is looked for where '\(entity.name)' is")
            }
        }
    }

    /// Both values, folded if the options ask for it.
    private func values(_ left: QueryOperand, _ right: QueryOperand, options: QueryComparison.Options)
        throws(QueryError) -> (SQLFragment, SQLFragment)
    {
        (
            try fold(left, options: options, form: form(for: right, options)),
            try fold(right, options: options, form: form(for: left, options))
        )
    }

    /// How constants are bound that are compared with `other`.
    func form(for other: QueryOperand, _ options: QueryComparison.Options) -> QueryParameter.Form {
        switch other.type {
        case .float: return .float
        case .uuid: return .uuid
        case .date: return .date
        case .integer16, .integer32, .integer64, .decimal, .boolean:
            if let type = other.type { return .number(type) }
        case .double, .string, .uri, .binary, .transformable, nil: break
        }
        let folding = options.folding
        return folding.isEmpty || other.kind != .text ? .stored : .folded(folding)
    }

    /// The value, folded if it is text and the options ask for it.
    func fold(_ operand: QueryOperand, options: QueryComparison.Options, form: QueryParameter.Form = .stored)
        throws(QueryError) -> SQLFragment
    {
        let folding = options.folding
        guard !folding.isEmpty, operand.kind == .text, !operand.isConstant else {
            return try value(operand, form)
        }
        return "COFFER_FOLD(\(try value(operand)), \(number: Int(folding.rawValue)))"
    }
}

extension QueryComparison.Options {
    /// The options that change how text is compared.
    var folding: QueryComparison.Options {
        intersection([.caseInsensitive, .diacriticInsensitive])
    }
}
