/// A class of managed objects whose properties are named once, with their types, and read like any others.
///
/// ```swift
/// final class Note: ManagedObject, ModeledObject {
///     struct Properties {
///         let title = Attribute<String>("title")
///         let folder = ToOne<Folder>("folder")
///         let tags = ToMany<Tag>("tags")
///     }
///     static let properties = Properties()
/// }
///
/// note.title = "Milk"
/// note.tags.insert(tag)
/// ```
@dynamicMemberLookup
public protocol ModeledObject: ManagedObject {
    /// Names properties: has an `Attribute`, `ToOne` or `ToMany` for each.
    associatedtype Properties: Sendable

    /// The names.
    static var properties: Properties { get }
}

extension ModeledObject {
    /// The value of an attribute.
    @inlinable
    public subscript<Value>(dynamicMember path: KeyPath<Properties, Attribute<Value>>) -> Value {
        // Inlined so that the compiler follows the key path, which takes ten times as long when the program
        // runs.
        @inline(__always) get { value(at: Self.properties[keyPath: path].key.number) }
        @inline(__always) set { setValue(newValue, of: Self.properties[keyPath: path]) }
    }

    /// The object at the other end of a to-one relationship; `nil` if there is none, or it was deleted.
    @inlinable
    public subscript<Target>(dynamicMember path: KeyPath<Properties, ToOne<Target>>) -> Target? {
        @inline(__always) get { target(of: Self.properties[keyPath: path]) }
        @inline(__always) set { setTarget(newValue, of: Self.properties[keyPath: path]) }
    }

    /// The objects of a to-many relationship.
    @inlinable
    public subscript<Target>(dynamicMember path: KeyPath<Properties, ToMany<Target>>) -> RelatedObjects<
        Target
    > {
        @inline(__always) get { members(of: Self.properties[keyPath: path]) }
    }
}

extension ManagedObject {
    /// The value of an attribute.
    @inlinable
    public final func value<Value>(of attribute: Attribute<Value>) -> Value {
        value(at: attribute.key.number)
    }

    /// The value of the attribute with a key's number: the key has a name, too, which would have to be
    /// counted.
    @inlinable
    @inline(__always)
    final func value<Value: AttributeConvertible>(at number: Int) -> Value {
        let column = plainColumn(number)
        if column >= 0, let value = Value.decode(AttributeCell(self, column)) { return value }
        return searchedValue(number)
    }

    /// The value of an attribute that cannot be read from its cell.
    @inlinable
    @inline(never)
    final func searchedValue<Value: AttributeConvertible>(_ number: Int) -> Value {
        Value(attributeValue: slowValue(number)) ?? Value(attributeValue: fallbackValue(number))
            ?? Value.valueForNull
    }

    /// Sets an attribute.
    ///
    /// A number outside the attribute's range, as 40,000 for an `integer16`, and what is not a number, are
    /// kept, and forbid the save with `ValidationFailure.Reason.outOfRange`.
    ///
    /// - Precondition: The value is of the kind of the attribute's type in the model.
    @inlinable
    public final func setValue<Value>(_ value: Value, of attribute: Attribute<Value>) {
        setAttribute(attribute.key, value.attributeValue)
    }

    /// The object at the other end of a to-one relationship; `nil` if there is none, or it was deleted.
    public final func target<Target>(of relationship: ToOne<Target>) -> Target? {
        let relationship = self.relationship(relationship.key, isToMany: false)
        expect(Target.self, at: relationship)
        return target(relationship)?.cast()
    }

    /// Sets a to-one relationship, and its inverse.
    public final func setTarget<Target>(_ target: Target?, of relationship: ToOne<Target>) {
        setTarget(target, self.relationship(relationship.key, isToMany: false))
    }

    /// The objects of a to-many relationship.
    public final func members<Target>(of relationship: ToMany<Target>) -> RelatedObjects<Target> {
        let relationship = self.relationship(relationship.key, isToMany: true)
        expect(Target.self, at: relationship)
        return RelatedObjects(owner: self, relationship: relationship)
    }
}
