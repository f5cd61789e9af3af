public import CofferModel

/// A Swift type whose values an attribute can hold.
///
/// An enumeration with a raw value conforms by saying what a null reads as:
///
/// ```swift
/// enum Kind: Int, AttributeConvertible { case text, picture; static let valueForNull = Kind.text }
/// ```
public protocol AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it stands for none.
    init?(attributeValue: AttributeValue)

    /// What an attribute holds for the value.
    var attributeValue: AttributeValue { get }

    /// What a null, or a value that cannot be read, is taken for.
    static var valueForNull: Self { get }

    /// The value of a cell, read without detours; `nil` if it is null or of another kind.
    ///
    /// What is not overridden goes through `AttributeValue`.
    static func decode(_ cell: AttributeCell) -> Self?
}

extension AttributeConvertible {
    /// The value of a cell; `nil` if it is null or of another kind.
    public static func decode(_ cell: AttributeCell) -> Self? { Self(attributeValue: cell.value) }
}

extension AttributeConvertible where Self: RawRepresentable, RawValue: AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) {
        guard let rawValue = RawValue(attributeValue: attributeValue) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { rawValue.attributeValue }

    /// The value of a cell; `nil` if it is null or of another kind.
    @inlinable
    public static func decode(_ cell: AttributeCell) -> Self? {
        guard let rawValue = RawValue.decode(cell) else { return nil }
        return Self(rawValue: rawValue)
    }
}

extension Optional: AttributeConvertible where Wrapped: AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) {
        if attributeValue.isNull {
            self = .none
        } else if let value = Wrapped(attributeValue: attributeValue) {
            self = .some(value)
        } else {
            return nil
        }
    }

    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { self?.attributeValue ?? .null }
    /// What a null reads as.
    @inlinable public static var valueForNull: Wrapped? { nil }

    /// The value of a cell; `nil` if it is null or of another kind.
    @inlinable
    public static func decode(_ cell: AttributeCell) -> Wrapped?? {
        .some(Wrapped.decode(cell))
    }
}

extension AttributeConvertible where Self: FixedWidthInteger & SignedInteger {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) {
        guard case .integer(let number) = attributeValue else { return nil }
        self.init(exactly: number)
    }

    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
    /// What a null reads as.
    public static var valueForNull: Self { 0 }
}

extension Int: AttributeConvertible {
    /// The value of a cell; `nil` if it is null or of another kind.
    public static func decode(_ cell: AttributeCell) -> Int? { cell.integer.map { Int($0) } }
}

extension Int64: AttributeConvertible {
    /// The value of a cell; `nil` if it is null or of another kind.
    public static func decode(_ cell: AttributeCell) -> Int64? { cell.integer }
}

extension Int32: AttributeConvertible {
    /// The value of a cell; `nil` if it is null or of another kind.
    public static func decode(_ cell: AttributeCell) -> Int32? { cell.integer.flatMap { Int32(exactly: $0) } }
}

extension Int16: AttributeConvertible {
    /// The value of a cell; `nil` if it is null or of another kind.
    public static func decode(_ cell: AttributeCell) -> Int16? { cell.integer.flatMap { Int16(exactly: $0) } }
}

extension Bool: AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) {
        guard case .boolean(let flag) = attributeValue else { return nil }
        self = flag
    }

    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { .boolean(self) }
    /// What a null reads as.
    public static var valueForNull: Bool { false }
    /// The value of a cell; `nil` if it is null or of another kind.
    public static func decode(_ cell: AttributeCell) -> Bool? { cell.boolean }
}

extension Double: AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) {
        guard case .double(let number) = attributeValue else { return nil }
        self = number
    }

    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { .double(self) }
    /// What a null reads as.
    public static var valueForNull: Double { 0 }
    /// The value of a cell; `nil` if it is null or of another kind.
    public static func decode(_ cell: AttributeCell) -> Double? { cell.double }
}

extension Float: AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) {
        guard case .float(let number) = attributeValue else { return nil }
        self = number
    }

    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { .float(self) }
    /// What a null reads as.
    public static var valueForNull: Float { 0 }
    /// The value of a cell; `nil` if it is null or of another kind.
    public static func decode(_ cell: AttributeCell) -> Float? { cell.float }
}

extension String: AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) {
        switch attributeValue {
        case .string(let text), .uri(let text): self = text
        default: return nil
        }
    }

    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { .string(self) }
    /// What a null reads as.
    public static var valueForNull: String { "" }
    /// The value of a cell; `nil` if it is null or of another kind.
    public static func decode(_ cell: AttributeCell) -> String? { cell.text }
}
