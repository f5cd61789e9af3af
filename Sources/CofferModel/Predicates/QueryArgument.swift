public import FoundationEssentials

/// What may fill a placeholder of a predicate's format.
///
/// Text, numbers, truth values, dates, UUIDs, URLs, bytes, objects and their ids, optionals of these (null
/// if empty), and arrays and sets of these (a collection). A type of an application conforms by naming a
/// value of one of them.
public protocol QueryArgument {
    /// The constant, or collection of constants, that takes the placeholder's place.
    var queryExpression: QueryExpression { get }
}

extension AttributeValue: QueryArgument {
    /// The value as a constant.
    public var queryExpression: QueryExpression { .constant(self) }
}

extension QueryExpression: QueryArgument {
    /// The expression itself.
    public var queryExpression: QueryExpression { self }
}

extension String: QueryArgument {
    /// The value as a constant.
    public var queryExpression: QueryExpression { .constant(.string(self)) }
}

extension Bool: QueryArgument {
    /// The value as a constant.
    public var queryExpression: QueryExpression { .constant(.boolean(self)) }
}

extension Double: QueryArgument {
    /// The value as a constant.
    public var queryExpression: QueryExpression { .constant(.double(self)) }
}

extension Float: QueryArgument {
    /// The value as a constant.
    public var queryExpression: QueryExpression { .constant(.float(self)) }
}

extension Decimal: QueryArgument {
    /// The value as a constant.
    public var queryExpression: QueryExpression { .constant(.decimal(self)) }
}

extension Date: QueryArgument {
    /// The value as a constant.
    public var queryExpression: QueryExpression { .constant(.date(self)) }
}

extension UUID: QueryArgument {
    /// The value as a constant.
    public var queryExpression: QueryExpression { .constant(.uuid(self)) }
}

extension URL: QueryArgument {
    /// The value as a constant.
    public var queryExpression: QueryExpression { .constant(.uri(absoluteString)) }
}

extension Data: QueryArgument {
    /// The value as a constant.
    public var queryExpression: QueryExpression { .constant(.binary([UInt8](self))) }
}

extension ManagedObjectID: QueryArgument {
    /// The value as a constant.
    public var queryExpression: QueryExpression { .constant(.object(self)) }
}

extension QueryArgument where Self: BinaryInteger {
    /// The number; as a decimal if it does not fit into 64 bits with a sign.
    public var queryExpression: QueryExpression {
        if let number = Int64(exactly: self) { return .constant(.integer(number)) }
        return .constant(.decimal(Decimal(string: "\(self)") ?? .nan))
    }
}

extension Int: QueryArgument {}
extension Int8: QueryArgument {}
extension Int16: QueryArgument {}
extension Int32: QueryArgument {}
extension Int64: QueryArgument {}
extension UInt: QueryArgument {}
extension UInt8: QueryArgument {}
extension UInt16: QueryArgument {}
extension UInt32: QueryArgument {}
extension UInt64: QueryArgument {}

extension Optional: QueryArgument where Wrapped: QueryArgument {
    /// What is wrapped, or null.
    public var queryExpression: QueryExpression { self?.queryExpression ?? .constant(.null) }
}

extension Array: QueryArgument where Element: QueryArgument {
    /// A collection; `[UInt8]` is one binary value.
    public var queryExpression: QueryExpression {
        // An empty array can be cast to one of anything.
        if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .constant(.binary(bytes)) }
        return .collection(map(\.queryExpression))
    }
}

extension Set: QueryArgument where Element: QueryArgument {
    /// A collection, in the order of the members' text, so that equal sets make equal predicates.
    public var queryExpression: QueryExpression {
        .collection(map(\.queryExpression).sorted { $0.description < $1.description })
    }
}
