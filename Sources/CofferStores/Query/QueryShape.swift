internal import CofferModel

/// A description without its values: two of one shape have the same SQL.
///
/// The bytes are an unambiguous encoding, which is compared and hashed faster than the tree that it was made
/// from.
struct QueryShape {
    /// The encoding.
    private(set) var bytes: [UInt8] = []
    /// The values that were left out, in the order in which the predicate is walked.
    private(set) var constants: [QueryConstant] = []

    init(_ fetch: FetchDescription) {
        bytes.reserveCapacity(128)
        add(fetch.entityName)
        bytes.append(fetch.resultType.rawValue)
        bytes.append(
            (fetch.includesSubentities ? 1 : 0) | (fetch.returnsDistinctResults ? 2 : 0)
                | (fetch.limit > 0 ? 4 : 0)
                | (fetch.offset > 0 ? 8 : 0) | (fetch.predicate == nil ? 0 : 16))
        addCount(fetch.propertiesToFetch.count)
        for property in fetch.propertiesToFetch { add(property) }
        addCount(fetch.sortDescriptors.count)
        for sort in fetch.sortDescriptors {
            add(sort.keyPath)
            bytes.append(sort.comparison.rawValue << 1 | (sort.isAscending ? 1 : 0))
        }
        if let predicate = fetch.predicate { add(predicate) }
        addCount(fetch.expressions.count)
        for named in fetch.expressions {
            add(named.name)
            addCount(Int(named.type?.rawValue ?? 0))
            add(named.expression)
        }
        add(fetch.groupBy)
        addCount(fetch.having == nil ? 0 : 1)
        if let having = fetch.having { add(having) }
    }
}

extension QueryShape {
    private mutating func addCount(_ count: Int) {
        if count < 0xFF { return bytes.append(UInt8(count)) }
        bytes.append(0xFF)
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: count >> shift))
        }
    }

    private mutating func add(_ text: String) {
        let utf8 = text.utf8
        addCount(utf8.count)
        bytes.append(contentsOf: utf8)
    }

    private mutating func add(_ names: [String]) {
        addCount(names.count)
        for name in names { add(name) }
    }

    private mutating func add(_ predicate: QueryPredicate) {
        switch predicate {
        case .always(let isTrue): bytes.append(isTrue ? 1 : 2)
        case .and(let parts): add(3, parts)
        case .or(let parts): add(4, parts)
        case .not(let part):
            bytes.append(5)
            add(part)
        case .comparison(let comparison):
            bytes.append(6)
            bytes.append(comparison.operator.rawValue << 2 | comparison.modifier.rawValue)
            bytes.append(comparison.options.rawValue)
            if comparison.modifier == .direct { add(comparison.left) } else { add(rows: comparison.left) }
            add(comparison.right)
        }
    }

    private mutating func add(_ tag: UInt8, _ parts: [QueryPredicate]) {
        bytes.append(tag)
        addCount(parts.count)
        for part in parts { add(part) }
    }

    private mutating func add(_ expression: QueryExpression) {
        switch expression {
        case .constant(let value):
            bytes.append(10)
            addKind(value)
            constants.append(.value(value))
        case .collection(let elements): add(collection: elements)
        case .evaluatedObject: bytes.append(13)
        case .keyPath(let names):
            bytes.append(14)
            add(names)
        case .variable(let name, let names):
            bytes.append(15)
            add(name)
            add(names)
        case .function(let name, let arguments):
            bytes.append(16)
            add(name)
            addCount(arguments.count)
            if QueryFunction(name: name)?.isOfCollection ?? false, let first = arguments.first {
                add(rows: first)
                for argument in arguments.dropFirst() { add(argument) }
            } else {
                for argument in arguments { add(argument) }
            }
            // The type of a CAST is a constant, but decides about the SQL.
            if case .constant(.string(let type))? = arguments.last, arguments.count == 2 { add(type) }
        case .subquery(let collection, let variable, let predicate, let names):
            bytes.append(17)
            add(rows: collection)
            add(variable)
            add(names)
            add(predicate)
        case .conditional(let predicate, let then, let otherwise):
            bytes.append(18)
            add(predicate)
            add(then)
            add(otherwise)
        }
    }

    /// A collection that is compiled element by element.
    private mutating func add(rows expression: QueryExpression) {
        guard case .collection(let elements) = expression else { return add(expression) }
        bytes.append(12)
        addCount(elements.count)
        for element in elements { add(element) }
    }

    private mutating func add(collection elements: [QueryExpression]) {
        guard let list = ConstantList(elements) else { return add(rows: .collection(elements)) }
        bytes.append(11)
        bytes.append((list.hasNull ? 1 : 0) | (list.fitsJSON ? 2 : 0))
        addCount(list.parameterCount)
        addCount(list.kinds.count)
        for kind in list.kinds { addKind(kind) }
        constants.append(.list(list.values))
    }

    /// The kind of a value, and the entity of an object: what the SQL may depend on.
    private mutating func addKind(_ value: AttributeValue) {
        if value.isNullInQueries { return bytes.append(0) }
        switch value {
        case .null: bytes.append(0)
        case .integer: bytes.append(1)
        case .boolean: bytes.append(2)
        case .double: bytes.append(3)
        case .float: bytes.append(4)
        case .decimal: bytes.append(5)
        case .string: bytes.append(6)
        case .date: bytes.append(7)
        case .binary: bytes.append(8)
        case .uuid: bytes.append(9)
        case .uri: bytes.append(10)
        case .transformable: bytes.append(11)
        case .object(let id):
            bytes.append(12)
            add(id.entity.name)
        }
    }
}
