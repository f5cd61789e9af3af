/// Names an attribute of a class of objects, and the Swift type of its values.
///
/// An optional type reads null as `nil`; any other reads null as the model's default, else as the type's
/// `valueForNull`.
public struct Attribute<Value: AttributeConvertible>: Sendable {
    /// The attribute's name.
    public let key: PropertyKey

    /// The attribute of that name in the model.
    public init(_ name: String) {
        key = PropertyKey(name)
    }
}

/// Names a to-one relationship of a class of objects, and the class at its other end.
public struct ToOne<Target: ManagedObject>: Sendable {
    /// The relationship's name.
    public let key: PropertyKey

    /// The relationship of that name in the model.
    public init(_ name: String) {
        key = PropertyKey(name)
    }
}

/// Names a to-many relationship of a class of objects, and the class at its other end.
public struct ToMany<Target: ManagedObject>: Sendable {
    /// The relationship's name.
    public let key: PropertyKey

    /// The relationship of that name in the model.
    public init(_ name: String) {
        key = PropertyKey(name)
    }
}
