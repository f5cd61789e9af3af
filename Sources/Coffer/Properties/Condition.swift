public import CofferModel

/// What is demanded of objects of a class, checked by the compiler.
///
/// ```swift
/// Note.where(\.title == "Milk" && \.created > day)
/// Note.where { $0.title.contains("milk", options: .caseInsensitive) && $0.folder == inbox }
/// ```
public struct Condition<Object: ModeledObject>: Sendable {
    /// The condition as a predicate for a request.
    public var predicate: QueryPredicate

    /// A condition that a predicate describes.
    public init(_ predicate: QueryPredicate) {
        self.predicate = predicate
    }

    /// Both hold.
    public static func && (left: Self, right: Self) -> Self { Self(left.predicate && right.predicate) }

    /// Either condition holds.
    public static func || (left: Self, right: Self) -> Self { Self(left.predicate || right.predicate) }

    /// The condition does not hold.
    public static prefix func ! (condition: Self) -> Self { Self(!condition.predicate) }
}

extension Attribute {
    private func compare(
        _ operator: QueryComparison.Operator, _ value: Value, options: QueryComparison.Options = []
    ) -> QueryPredicate {
        .compare(.keyPath([key.name]), `operator`, .constant(value.attributeValue), options: options)
    }

    /// The value is equal to another; to `nil` if it is null.
    public static func == (left: Self, right: Value) -> QueryPredicate { left.compare(.equal, right) }
    /// The value is not equal to another.
    public static func != (left: Self, right: Value) -> QueryPredicate { left.compare(.notEqual, right) }
    /// The value is less than another.
    public static func < (left: Self, right: Value) -> QueryPredicate { left.compare(.less, right) }
    /// The value is at most another.
    public static func <= (left: Self, right: Value) -> QueryPredicate { left.compare(.lessOrEqual, right) }
    /// The value is greater than another.
    public static func > (left: Self, right: Value) -> QueryPredicate { left.compare(.greater, right) }
    /// The value is at least another.
    public static func >= (left: Self, right: Value) -> QueryPredicate {
        left.compare(.greaterOrEqual, right)
    }

    /// The value is one of several.
    public func isIn(_ values: some Sequence<Value>) -> QueryPredicate {
        .compare(.keyPath([key.name]), .in, .collection(values.map { .constant($0.attributeValue) }))
    }

    /// The value lies between two, both included.
    public func isBetween(_ low: Value, _ high: Value) -> QueryPredicate {
        let bounds: [QueryExpression] = [.constant(low.attributeValue), .constant(high.attributeValue)]
        return .compare(.keyPath([key.name]), .between, .collection(bounds))
    }
}

/// Text, or text that may be missing.
public protocol TextAttribute: AttributeConvertible {}
extension String: TextAttribute {}
extension Optional: TextAttribute where Wrapped == String {}

extension Attribute where Value: TextAttribute {
    private func compare(
        _ operator: QueryComparison.Operator, _ text: String, options: QueryComparison.Options
    ) -> QueryPredicate {
        .compare(.keyPath([key.name]), `operator`, .constant(.string(text)), options: options)
    }

    /// The text has another in it.
    public func contains(_ text: String, options: QueryComparison.Options = []) -> QueryPredicate {
        compare(.contains, text, options: options)
    }

    /// The text begins with another.
    public func beginsWith(_ text: String, options: QueryComparison.Options = []) -> QueryPredicate {
        compare(.beginsWith, text, options: options)
    }

    /// The text ends with another.
    public func endsWith(_ text: String, options: QueryComparison.Options = []) -> QueryPredicate {
        compare(.endsWith, text, options: options)
    }

    /// The text is another, by options: `.caseInsensitive` and so on.
    public func equals(_ text: String, options: QueryComparison.Options) -> QueryPredicate {
        compare(.equal, text, options: options)
    }

    /// The text is like a pattern: `?` is one character, `*` any run.
    public func isLike(_ pattern: String, options: QueryComparison.Options = []) -> QueryPredicate {
        compare(.like, pattern, options: options)
    }
}

extension ToOne {
    /// The object at the other end is that one; `nil` if there is none.
    public static func == (left: Self, right: Target?) -> QueryPredicate {
        .compare(.keyPath([left.key.name]), .equal, .constant(right.map { .object($0.objectID) } ?? .null))
    }

    /// The object at the other end is another.
    public static func != (left: Self, right: Target?) -> QueryPredicate { .not(left == right) }
}

extension ToMany {
    /// An object is one of them.
    public func contains(_ object: Target) -> QueryPredicate {
        .compare(.keyPath([key.name]), .equal, .constant(.object(object.objectID)), modifier: .any)
    }

    /// The relationship has no objects.
    public var isEmpty: QueryPredicate {
        .compare(.keyPath([key.name, "@count"]), .equal, .constant(.integer(0)))
    }
}
