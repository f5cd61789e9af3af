internal import CofferModel

/// The values that rows of a fetch carry: as SQL, and as columns of a batch.
///
/// Objects carry properties of the entity asked for. What an object of a sub-entity has besides stays out, as
/// of a fault: reading such a property asks for the object's whole row.
struct QueryColumns {
    /// The columns in SQL.
    private(set) var texts: [SQLFragment] = []
    /// The columns in the batch, of which references may take two in SQL.
    private(set) var values: [CompiledQuery.Value] = []
    /// Where the columns in SQL of each expression begin.
    private(set) var starts: [Int] = []

    private let schema: SQLSchema
    private let hasDigits: Bool

    /// The values of a fetch; `hasDigits` says whether the file has a table of decimals' exact digits.
    init(
        fetch: FetchDescription, schema: SQLSchema, hasDigits: Bool, place: ReachedObject,
        predicates: PredicateCompiler
    ) throws(QueryError) {
        self.schema = schema
        self.hasDigits = hasDigits
        switch fetch.resultType {
        case .count, .objectIDs: break
        case .objects:
            let names = fetch.propertiesToFetch
            if names.isEmpty { try addAll(of: place) }
            for name in names { try add(property: name, of: place) }
        case .dictionaries:
            if fetch.propertiesToFetch.isEmpty && fetch.expressions.isEmpty { try addAll(of: place) }
            for (index, name) in fetch.propertiesToFetch.enumerated() {
                let names = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                try add(names, as: index, of: place, predicates)
            }
            for (index, named) in fetch.expressions.enumerated() {
                starts.append(texts.count)
                try add(named, as: fetch.propertiesToFetch.count + index, of: place, predicates)
            }
        }
    }

    /// All attributes and to-one relationships, but some.
    init(
        of place: ReachedObject, schema: SQLSchema, hasDigits: Bool, without omitted: [Int]
    ) throws(QueryError) {
        self.schema = schema
        self.hasDigits = hasDigits
        try addAll(of: place, without: omitted)
    }

    private mutating func addAll(of place: ReachedObject, without omitted: [Int] = []) throws(QueryError) {
        for index in place.entity.columns.indices where !omitted.contains(index) {
            try add(index, as: index, of: place)
        }
    }

    private mutating func add(property name: String, of place: ReachedObject) throws(QueryError) {
        let entity = schema.model.entities[place.entity.index]
        guard let index = entity.propertyIndex(named: name) else {
            throw .unknownKey(name, keyPath: name, entity: entity.name)
        }
        let count = values.count
        if !values.contains(where: { $0.property == index }) { try add(index, as: index, of: place) }
        if values.count == count, entity.properties[index].isTransient {
            throw .invalidKeyPath(name, entity: entity.name, reason: "is not stored")
        }
    }

    /// Adds one property, if its value is in the row.
    private mutating func add(_ index: Int, as name: Int, of place: ReachedObject) throws(QueryError) {
        switch place.entity.columns[index] {
        case .attribute(let column, .decimal) where hasDigits:
            let table = place.entity.table
            texts.append(try place.column(column))
            texts.append(
                """
                (SELECT digits FROM COFFER_DECIMAL WHERE relation = '\(name: table)' AND key = \(place.key) \
                AND property = '\(name: column)')
                """)
            values.append(CompiledQuery.Value(property: name, kind: .decimalWithDigits))
        case .attribute(let column, let type):
            let property = schema.model.entities[place.entity.index].properties[index]
            texts.append(try place.column(column))
            values.append(
                CompiledQuery.Value(
                    property: name,
                    kind: .attribute(type, isExternal: property.attribute?.allowsExternalStorage ?? false)))
        case .toOne(let column, let entityColumn, let destination):
            let entityText: SQLFragment? = if let entityColumn { try place.column(entityColumn) } else { nil }
            addReference(name, key: try place.column(column), entityText: entityText, to: destination)
        case .toMany, .manyToMany, .unsupported, nil: break
        }
    }

    private mutating func addReference(
        _ property: Int, key: SQLFragment, entityText: SQLFragment?, to destination: Int
    ) {
        let destinationEntity = schema.entities[destination]
        let isLeaf = schema.model.entities[destination].subentityIndices.isEmpty
        texts.append(key)
        if let entityText {
            texts.append(entityText)
        } else if !isLeaf, let destinationEntity {
            // Such a file was made by other rules than Core Data's; the object's own row knows its entity.
            let row: SQLFragment = "FROM \(name: destinationEntity.table) r WHERE r.Z_PK = \(key)"
            texts.append("(SELECT r.Z_ENT \(row))")
        }
        let hasEntity = entityText != nil || (!isLeaf && destinationEntity != nil)
        values.append(
            CompiledQuery.Value(
                property: property,
                kind: .reference(
                    entities: schema.model.entities[destination].familyIndices, hasEntity: hasEntity)))
    }

    /// What an expression gives, in a dictionary.
    private mutating func add(
        _ named: NamedExpression, as index: Int, of place: ReachedObject, _ predicates: PredicateCompiler
    ) throws(QueryError) {
        let entity = schema.model.entities[place.entity.index]
        if case .keyPath(let names) = named.expression,
            try addDecimal(names, as: index, of: place, predicates)
        {
            return
        }
        let type = try named.valueType(for: entity, in: schema.model)
        let operand = try predicates.answering(named.expression)
        if case .object(let end) = operand {
            return addReference(index, key: end.key, entityText: nil, to: end.entity.index)
        }
        texts.append(try predicates.value(operand))
        values.append(
            CompiledQuery.Value(property: index, kind: Self.computed(type)))
    }

    /// Adds what a key path leads to, with its digits, if that is a stored decimal; `false` if it is not.
    private mutating func addDecimal(
        _ names: [String], as index: Int, of place: ReachedObject, _ predicates: PredicateCompiler
    ) throws(QueryError) -> Bool {
        let entity = schema.model.entities[place.entity.index]
        let path = try KeyPathResolver.resolve(names, from: entity, in: schema.model)
        guard path.attributeType == .decimal, path.collectionOperator == nil, !path.isToMany,
            let name = names.last
        else { return false }
        var end = place
        if names.count > 1 {
            guard case .object(let last) = try predicates.follow(names.dropLast(), from: place) else {
                return false
            }
            end = last
        }
        guard let property = schema.model.entities[end.entity.index].propertyIndex(named: name) else {
            return false
        }
        let count = values.count
        try add(property, as: index, of: end)
        return values.count > count
    }

    /// How what SQL computes is packed.
    private static func computed(_ type: AttributeType?) -> CompiledQuery.Value.Kind {
        type?.integerRange == nil ? .attribute(type ?? .double, isExternal: false) : .computedInteger
    }

    /// What a key path leads to, in a dictionary.
    private mutating func add(
        _ names: [String], as index: Int, of place: ReachedObject, _ predicates: PredicateCompiler
    ) throws(QueryError) {
        let entity = schema.model.entities[place.entity.index]
        if names.count == 1, let property = entity.propertyIndex(named: names[0]) {
            let count = values.count
            try add(property, as: index, of: place)
            if values.count > count { return }
        }
        if try addDecimal(names, as: index, of: place, predicates) { return }
        switch try predicates.follow(names, from: place) {
        case .scalar(let text, _):
            let path = try KeyPathResolver.resolve(names, from: entity, in: schema.model)
            texts.append(text)
            values.append(
                CompiledQuery.Value(
                    property: index, kind: Self.computed(path.attributeType)))
        case .object(let end):
            addReference(index, key: end.key, entityText: nil, to: end.entity.index)
        case .constant, .list, .elements, .many:
            throw .invalidKeyPath(
                names.joined(separator: "."), entity: entity.name,
                reason: "leads to several objects, and a dictionary holds one value for it")
        }
    }
}
