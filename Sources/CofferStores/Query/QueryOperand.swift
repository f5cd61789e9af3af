internal import CofferModel

/// One side of a comparison, compiled.
indirect enum QueryOperand {
    /// A fixed value; its number among the constants.
    case constant(Int, AttributeValue)
    /// A list of fixed values; its number among the constants.
    case list(Int, ConstantList)
    /// A list whose elements are not all fixed.
    case elements([QueryOperand])
    /// A value that SQL computes, and its type if it is known.
    case scalar(SQLFragment, AttributeType?)
    /// An object, or none.
    case object(ReachedObject)
    /// Several values or objects: one for each row of a select of their own.
    case many(QueryScope, element: QueryOperand)
}

/// What kinds of values can be compared with each other.
enum QueryValueKind: String {
    case number = "a number"
    case text = "text"
    case date = "a date"
    case bytes = "bytes"
    case uuid = "a UUID"
    case object = "an object"

    init(_ type: AttributeType) {
        self =
            switch type {
            case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: .number
            case .string, .uri: .text
            case .date: .date
            case .binary, .transformable: .bytes
            case .uuid: .uuid
            }
    }

    /// Whether values of both kinds can be compared; a text may spell a UUID or a date.
    func fits(_ other: QueryValueKind) -> Bool {
        switch (self, other) {
        case (.uuid, .text), (.text, .uuid), (.date, .text), (.text, .date): true
        default: self == other
        }
    }

    /// `nil` for null, which can be compared with all.
    init?(_ value: AttributeValue) {
        switch value {
        case .null: return nil
        case .integer, .boolean, .double, .float, .decimal: self = .number
        case .string, .uri: self = .text
        case .date: self = .date
        case .binary, .transformable: self = .bytes
        case .uuid: self = .uuid
        case .object: self = .object
        }
    }
}

extension QueryOperand {
    /// What it can be compared with; `nil` if that is not known or does not matter.
    var kind: QueryValueKind? {
        switch self {
        case .constant(_, let value): QueryValueKind(value)
        case .list(_, let list): list.kinds.first.flatMap { QueryValueKind($0) }
        case .elements(let elements): elements.lazy.compactMap(\.kind).first
        case .scalar(_, let type): type.map { QueryValueKind($0) }
        case .object: .object
        case .many(_, let element): element.kind
        }
    }

    /// Whether it is null for certain.
    var isNull: Bool {
        if case .constant(_, let value) = self { value.isNullInQueries } else { false }
    }

    /// Whether it is a fixed value.
    var isConstant: Bool {
        if case .constant = self { true } else { false }
    }
}

extension AttributeValue {
    /// Whether a query takes it for null: NaN is stored as null, too.
    var isNullInQueries: Bool { isNull || isNaN }
}
