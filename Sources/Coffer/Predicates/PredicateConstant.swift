import CofferModel
import FoundationEssentials

/// What predicates of Foundation capture, as constants.
enum PredicateConstant {
    /// The term of a captured value.
    ///
    /// Types are asked, not values: an empty array can be cast to one of anything, and `nil` to any optional.
    static func term<Captured>(_ value: Captured) throws(QueryError) -> PredicateTerm {
        if let constant = try constant(value) { return .operand(PredicateOperand(constant)) }
        if let list = value as? any CapturedList {
            var constants: [AttributeValue] = []
            for element in list.elements { constants.append(try required(element)) }
            return .constants(constants)
        }
        if let range = value as? any CapturedRange {
            let (lower, upper, isClosed) = range.bounds
            return .range(
                lower: try lower.map { value throws(QueryError) in PredicateOperand(try required(value)) },
                upper: try upper.map { value throws(QueryError) in PredicateOperand(try required(value)) },
                isClosed: isClosed)
        }
        throw refusal(Captured.self)
    }

    private static func refusal(_ type: Any.Type) -> QueryError {
        .invalidOperand("a value of type \(type) cannot be kept in an attribute")
    }

    private static func required(_ value: some Any) throws(QueryError) -> AttributeValue {
        guard let constant = try constant(value) else { throw refusal(type(of: value)) }
        return constant
    }

    /// The value of a type that attributes can hold; `nil` for one of another type.
    private static func constant<Captured>(_ value: Captured) throws(QueryError) -> AttributeValue? {
        guard let constant = unchecked(value) else { return nil }
        guard !constant.isNaN else {
            throw .invalidOperand("a captured value is not a number (NaN), which equals nothing")
        }
        return constant
    }

    private static func unchecked<Captured>(_ value: Captured) -> AttributeValue? {
        if Captured.self == ManagedObjectID.self || Captured.self == ManagedObjectID?.self {
            return (value as? ManagedObjectID).map { .object($0) } ?? .null
        }
        guard let type = Captured.self as? any AttributeConvertible.Type else { return nil }
        func convert<Convertible: AttributeConvertible>(_: Convertible.Type) -> AttributeValue? {
            (value as? Convertible)?.attributeValue
        }
        return convert(type)
    }
}

/// Values that are captured together.
private protocol CapturedList {
    var elements: [Any] { get }
}

extension Array: CapturedList {
    fileprivate var elements: [Any] { map { $0 } }
}

extension Set: CapturedList {
    /// In an order, so that equal sets make equal predicates.
    fileprivate var elements: [Any] {
        map { (value: $0 as Any, text: "\($0)") }.sorted { $0.text < $1.text }.map(\.value)
    }
}

/// A range that is captured.
private protocol CapturedRange {
    var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { get }
}

extension ClosedRange: CapturedRange {
    fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { (lowerBound, upperBound, true) }
}

extension Range: CapturedRange {
    fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { (lowerBound, upperBound, false) }
}

extension PartialRangeFrom: CapturedRange {
    fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { (lowerBound, nil, false) }
}

extension PartialRangeThrough: CapturedRange {
    fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { (nil, upperBound, true) }
}

extension PartialRangeUpTo: CapturedRange {
    fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { (nil, upperBound, false) }
}
