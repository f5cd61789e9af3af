internal import CofferModel

extension PredicateCompiler {
    /// What a key path leads to, or what is asked of the texts at its end; the rules are those of `follow`.
    func reach(
        _ names: [String], from place: ReachedObject, isRequired: Bool = false
    ) throws(QueryError) -> QueryOperand {
        let entity = schema.model.entities[place.entity.index]
        guard let (path, key) = KeyPathResolver.textKey(at: names, from: entity, in: schema.model) else {
            return try follow(names, from: place, isRequired: isRequired)
        }
        return try asked(key, of: follow(path, from: place, isRequired: isRequired))
    }

    /// What a key behind a text, or behind each of several, gives.
    func asked(_ key: TextKey, of operand: QueryOperand) throws(QueryError) -> QueryOperand {
        if case .many(let scope, let element) = operand {
            return .many(scope, element: try asked(key, of: element))
        }
        try check(operand, is: .text, for: .length)
        guard key == .length else { return operand }
        return .scalar("COFFER_LENGTH(\(try value(operand)))", .integer64)
    }

    /// What a key path leads to; with `isRequired`, all objects on the way are there.
    func follow(
        _ names: [String], from place: ReachedObject, isRequired: Bool = false
    ) throws(QueryError) -> QueryOperand {
        let entity = schema.model.entities[place.entity.index]
        let path = try KeyPathResolver.resolve(names, from: entity, in: schema.model)
        let isToOne = path.collectionOperator == nil && !path.isToMany
        var walk = Walk(schema: schema, path: names, place: place, isRequired: isRequired && isToOne)
        for step in path.steps { try walk.go(step) }
        noteIndexed(walk)
        guard let collectionOperator = path.collectionOperator else { return try walk.operand() }
        guard let scope = walk.scope else {
            throw walk.failure(
                "has '\(collectionOperator.rawValue)' without a to-many relationship before it")
        }
        return try aggregate(collectionOperator, over: scope, of: walk.end(path.operand))
    }

    /// What a key path makes of objects that a select gives: `@count`, `@sum.amount`, or a property of each.
    func collected(_ names: [String], over scope: QueryScope, from place: ReachedObject) throws(QueryError)
        -> QueryOperand
    {
        if names == ["@count"] { return try aggregate(.count, over: scope, of: .object(place)) }
        let start = schema.model.entities[place.entity.index]
        if let (path, key) = KeyPathResolver.textKey(at: names, from: start, in: schema.model) {
            return try asked(key, of: collected(path, over: scope, from: place))
        }
        if let collectionOperator = names.first.flatMap(CollectionOperator.init(rawValue:)) {
            let entity = schema.model.entities[place.entity.index]
            let path = try KeyPathResolver.resolve(Array(names.dropFirst()), from: entity, in: schema.model)
            var walk = Walk(schema: schema, path: names, place: place, scope: scope)
            return try aggregate(collectionOperator, over: scope, of: walk.end(path.steps))
        }
        let entity = schema.model.entities[place.entity.index]
        let path = try KeyPathResolver.resolve(names, from: entity, in: schema.model)
        var walk = Walk(schema: schema, path: names, place: place, scope: scope)
        for step in path.steps { try walk.go(step) }
        let element = try walk.end(path.operand)
        guard let collectionOperator = path.collectionOperator else { return .many(scope, element: element) }
        return try aggregate(collectionOperator, over: scope, of: element)
    }

    /// One value of all that a select gives.
    func aggregate(_ collectionOperator: CollectionOperator, over scope: QueryScope, of element: QueryOperand)
        throws(QueryError) -> QueryOperand
    {
        let type = element.type
        let value = try value(element)
        switch collectionOperator {
        case .count: return .scalar(Self.select("COUNT(\(value))", scope), .integer64)
        case .sum: return try sum(scope, element)
        case .average: return .scalar(Self.select("AVG(\(value))", scope), .double)
        case .min: return .scalar(Self.select("MIN(\(value))", scope), type)
        case .max: return .scalar(Self.select("MAX(\(value))", scope), type)
        case .union: return .many(scope, element: element)
        case .distinctUnion: return try distinct(scope, element)
        }
    }

    /// Each of the values once, null among them.
    private func distinct(_ scope: QueryScope, _ element: QueryOperand) throws(QueryError) -> QueryOperand {
        let alias = try scope.aliases.next()
        let values = QueryScope(
            aliases: scope.aliases,
            source: "(SELECT DISTINCT \(try value(element)) AS v \(scope.text)) \(name: alias)")
        let value: SQLFragment = "\(name: alias).v"
        guard case .object(let place) = element else {
            return .many(values, element: .scalar(value, element.type))
        }
        return .many(
            values, element: .object(ReachedObject(scope: values, entity: place.entity, key: value)))
    }

    /// The sum, which is the integer 0 if there is nothing to add.
    private func sum(_ scope: QueryScope, _ element: QueryOperand) throws(QueryError) -> QueryOperand {
        let number = try number(element)
        switch element.type {
        case .double, .float, .decimal: return .scalar(Self.select("IFNULL(SUM(\(number)), 0)", scope), nil)
        case .integer64, nil: return .scalar(Self.select(Self.wideSum(of: number), scope), element.type)
        default: return .scalar(Self.select("IFNULL(SUM(\(number)), 0)", scope), element.type)
        }
    }

    /// A sum that is a real number if it is beyond 64 bits, as in memory; SQLite's own sum fails then.
    ///
    /// The halves of the integers are added up apart, which cannot overflow, and put together with what the
    /// lower ones carry: so the sum is exact as long as 64 bits hold it, whatever it was on the way.
    static func wideSum(of number: SQLFragment) -> SQLFragment {
        let integers: SQLFragment = "FILTER (WHERE typeof(\(number)) = 'integer')"
        let high: SQLFragment = "SUM(\(number) >> 32) \(integers)"
        let low: SQLFragment = "SUM(\(number) & 4294967295) \(integers)"
        let whole: SQLFragment = "(\(high) + (\(low) >> 32)) * 4294967296 + (\(low) & 4294967295)"
        let reals: SQLFragment = "SUM(\(number)) FILTER (WHERE typeof(\(number)) = 'real')"
        return "(IFNULL(\(whole), 0) + IFNULL(\(reals), 0))"
    }

    static func select(_ value: SQLFragment, _ scope: QueryScope) -> SQLFragment {
        "(SELECT \(value) \(scope.text))"
    }
}

extension PredicateCompiler {
    /// Remembers that the attribute at the end of a key path has a full-text index.
    private func noteIndexed(_ walk: Walk) {
        guard !textIndexes.isEmpty, case .scalar(let column, .string)? = walk.attribute,
            let index = textIndexes.first(where: { $0.table == walk.place.entity.table }),
            index.columns.contains(walk.column)
        else { return }
        indexedTexts[column.text] = IndexedText(index: index, column: walk.column, key: walk.place.key)
    }
}

/// Follows one key path through the tables.
private struct Walk {
    let schema: SQLSchema
    let path: [String]
    /// The object reached so far.
    private(set) var place: ReachedObject
    /// The select of the elements, once a to-many relationship was passed.
    private(set) var scope: QueryScope?
    private(set) var attribute: QueryOperand?
    /// The column of the attribute.
    private(set) var column = ""
    /// Whether the object is one that an element may lack.
    private var isOptional = false
    private let isRequired: Bool

    init(
        schema: SQLSchema, path: [String], place: ReachedObject, scope: QueryScope? = nil,
        isRequired: Bool = false
    ) {
        self.isRequired = isRequired
        self.schema = schema
        self.path = path
        self.place = place
        self.scope = scope
    }

    mutating func go(_ step: ResolvedKeyPath.Step) throws(QueryError) {
        let index =
            switch step.property {
            case .attribute(let attribute): attribute.index
            case .relationship(let relationship): relationship.index
            }
        if isOptional, let scope {
            // An element without the object has no value for what follows; one whose last property is null
            // has null.
            scope.demand("\(place.key) IS NOT NULL")
            isOptional = false
        }
        guard let property = place.entity.columns[index] else { throw failure("is not stored") }
        switch property {
        case .attribute(let column, let type):
            let stored = try place.column(column, isRequired: isRequired)
            let isExternal = step.property.attribute?.allowsExternalStorage ?? false
            attribute = .scalar(isExternal ? .externalValue(of: stored) : stored, type)
            self.column = column
        case .toOne(let column, _, let destination):
            let key = try place.column(column, isRequired: isRequired)
            place = ReachedObject(scope: place.scope, entity: try stored(destination), key: key)
            isOptional = scope != nil
        case .toMany(_, _, _, _, let destination), .manyToMany(_, _, _, _, let destination):
            let entity = try stored(destination)
            if let scope {
                place = try scope.multiply(place, through: property, to: entity)
            } else {
                let (elements, element) = try QueryScope.elements(of: place, through: property, to: entity)
                scope = elements
                place = element
            }
        case .unsupported(let reason): throw failure(reason)
        }
    }

    /// Goes on to the end of `steps`, and gives what is there for one element.
    mutating func end(_ steps: [ResolvedKeyPath.Step]) throws(QueryError) -> QueryOperand {
        for step in steps { try go(step) }
        return attribute ?? .object(place)
    }

    /// What the key path leads to.
    func operand() throws(QueryError) -> QueryOperand {
        let end = attribute ?? .object(place)
        return scope.map { .many($0, element: end) } ?? end
    }

    func failure(_ reason: String) -> QueryError {
        .invalidKeyPath(
            path.joined(separator: "."), entity: schema.model.entities[place.entity.index].name,
            reason: reason)
    }

    private func stored(_ index: Int) throws(QueryError) -> SQLEntity {
        guard let entity = schema.entities[index] else {
            throw failure("leads to '\(schema.model.entities[index].name)', which this store does not keep")
        }
        return entity
    }
}
