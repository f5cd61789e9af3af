internal import CofferModel

/// A `{…}` whose elements are all fixed, as queries bind it.
struct ConstantList {
    /// The elements without the nulls.
    let values: [AttributeValue]
    /// Whether there were nulls.
    let hasNull: Bool
    /// Whether the whole list is bound as one JSON text: it is long, and of integers, objects or texts only.
    let fitsJSON: Bool
    /// One element of each kind, and of each entity if they are objects.
    let kinds: [AttributeValue]

    /// `nil` if an element is not fixed.
    init?(_ elements: [QueryExpression]) {
        var values: [AttributeValue] = []
        values.reserveCapacity(elements.count)
        var kinds: [AttributeValue] = []
        var isInteger = true
        var isText = true
        for element in elements {
            guard case .constant(let value) = element else { return nil }
            if value.isNullInQueries { continue }
            values.append(value)
            switch value {
            case .integer, .boolean, .object: isText = false
            // SQLite's JSON ends a text at its first zero.
            case .string(let text), .uri(let text):
                isInteger = false
                if isText { isText = !text.utf8.contains(0) }
            default: (isInteger, isText) = (false, false)
            }
            if !kinds.contains(where: { Self.sameKind($0, value) }) { kinds.append(value) }
        }
        self.values = values
        self.kinds = kinds
        hasNull = values.count < elements.count
        fitsJSON = values.count > Limits.plainListElements && (isInteger || isText)
    }

    /// How many parameters stand for the list if it is not JSON: a power of two, so that lists of many
    /// lengths share a query.
    var parameterCount: Int {
        if fitsJSON || values.isEmpty { return 0 }
        var count = 1
        while count < values.count { count *= 2 }
        return count
    }

    private static func sameKind(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.integer, .integer), (.boolean, .boolean), (.double, .double), (.float, .float),
            (.decimal, .decimal),
            (.string, .string), (.date, .date), (.binary, .binary), (.uuid, .uuid), (.uri, .uri),
            (.transformable, .transformable):
            true
        case (.object(let a), .object(let b)): a.entity === b.entity
        default: false
        }
    }
}
