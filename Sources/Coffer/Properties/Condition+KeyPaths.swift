public import CofferModel

/// The attribute is equal to a value.
public func == <Object: ModeledObject, Value: AttributeConvertible>(
    path: KeyPath<Object.Properties, Attribute<Value>>, value: Value
) -> Condition<Object> {
    Condition(Object.properties[keyPath: path] == value)
}

/// The attribute is not equal to a value.
public func != <Object: ModeledObject, Value: AttributeConvertible>(
    path: KeyPath<Object.Properties, Attribute<Value>>, value: Value
) -> Condition<Object> {
    Condition(Object.properties[keyPath: path] != value)
}

/// The attribute is less than a value.
public func < <Object: ModeledObject, Value: AttributeConvertible>(
    path: KeyPath<Object.Properties, Attribute<Value>>, value: Value
) -> Condition<Object> {
    Condition(Object.properties[keyPath: path] < value)
}

/// The attribute is at most a value.
public func <= <Object: ModeledObject, Value: AttributeConvertible>(
    path: KeyPath<Object.Properties, Attribute<Value>>, value: Value
) -> Condition<Object> {
    Condition(Object.properties[keyPath: path] <= value)
}

/// The attribute is greater than a value.
public func > <Object: ModeledObject, Value: AttributeConvertible>(
    path: KeyPath<Object.Properties, Attribute<Value>>, value: Value
) -> Condition<Object> {
    Condition(Object.properties[keyPath: path] > value)
}

/// The attribute is at least a value.
public func >= <Object: ModeledObject, Value: AttributeConvertible>(
    path: KeyPath<Object.Properties, Attribute<Value>>, value: Value
) -> Condition<Object> {
    Condition(Object.properties[keyPath: path] >= value)
}

/// The object at the other end is that one; `nil` if there is none.
public func == <Object: ModeledObject, Target: ManagedObject>(
    path: KeyPath<Object.Properties, ToOne<Target>>, target: Target?
) -> Condition<Object> {
    Condition(Object.properties[keyPath: path] == target)
}

extension ModeledObject {
    /// A request for all objects of the class.
    public static var all: FetchRequest<Self> { FetchRequest() }

    /// A request for the objects that fit a condition: `Note.where(\.title == "Milk")`.
    public static func `where`(_ condition: Condition<Self>) -> FetchRequest<Self> {
        FetchRequest(condition.predicate)
    }

    /// A request for the objects that fit a predicate over the properties:
    /// `Note.where { $0.title.contains("ilk") }`.
    public static func `where`(_ predicate: (Properties) -> QueryPredicate) -> FetchRequest<Self> {
        FetchRequest(predicate(properties))
    }
}

extension FetchRequest where Object: ModeledObject {
    /// The request, ordered by an attribute as well.
    public func sorted<Value>(
        by path: KeyPath<Object.Properties, Attribute<Value>>, _ direction: SortDirection = .ascending
    ) -> FetchRequest {
        sorted(by: Object.properties[keyPath: path].key.name, direction)
    }

    /// The request for objects that fit a predicate over the properties as well.
    public func matching(_ predicate: (Object.Properties) -> QueryPredicate) -> FetchRequest {
        var copy = self
        let added = predicate(Object.properties)
        copy.predicate = copy.predicate.map { $0 && added } ?? added
        return copy
    }
}
