/// Names that mean something else in a class of managed objects.
///
/// A property called so would be hidden by, or hide, what `Coffer` declares.
package enum ReservedNames {
    /// Members of every managed object.
    package static let object: Set<String> = [
        "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent",
        "committedValues", "context", "didSave",
        "entity", "fetchedObjects",
        "hasChanges", "hash", "hashValue", "isDeleted", "isFault", "isInserted", "isObservable", "isUpdated",
        "objectID",
        "objects", "prepareForDeletion", "queryExpression", "requireValues", "setObjects", "setTarget",
        "setValue", "target",
        "members", "validationFailures", "value", "willSave",
        // Core Data has these, so they are kept free to mean here what they mean there.
        "awake", "committedValue", "didChangeValue", "didTurnIntoFault", "faultingState", "hasFault",
        "hasPersistentChangedValues", "managedObjectContext", "observationInfo", "primitiveValue",
        "setPrimitiveValue", "validateForDelete", "validateForInsert", "validateForUpdate", "validateValue",
        "willAccessValue", "willChangeValue", "willTurnIntoFault",
    ]

    /// Static members of every class of managed objects.
    package static let type: Set<String> = [
        "all", "entityName", "properties", "where", "Properties", "AllProperties",
    ]

    /// Names that no property has in Swift: members of every managed object, and what a generated class
    /// itself says by name.
    static let property: Set<String> = object.union(modules).union([
        "Properties", "AllProperties", "Attribute", "ToOne", "ToMany", "FetchRequest",
    ])

    /// Names that no class may have, since generated text gives them another meaning in places where it names
    /// classes.
    static let local: Set<String> = ["model", "keyPaths", "names", "path", "preconditionFailure", "type"]

    /// Modules that generated text names.
    static let modules: Set<String> = ["Swift", "FoundationEssentials", "Coffer"]

    /// What generated text uses by its plain name, and the module that has it.
    ///
    /// If an application's class has one of the names, the text says the module too.
    package static let used: [String: String] = [
        "Int16": "Swift", "Int32": "Swift", "Int64": "Swift", "Float": "Swift", "Double": "Swift",
        "String": "Swift", "Bool": "Swift", "KeyPath": "Swift", "AnyKeyPath": "Swift", "Sendable": "Swift",
        "Date": "FoundationEssentials", "UUID": "FoundationEssentials", "Decimal": "FoundationEssentials",
        "URL": "FoundationEssentials", "Data": "FoundationEssentials",
        "Attribute": "Coffer", "ToOne": "Coffer", "ToMany": "Coffer", "RelatedObjects": "Coffer",
        "ManagedObject": "Coffer", "ModeledObject": "Coffer", "FetchRequest": "Coffer",
        "ManagedObjectModel": "Coffer", "ModelError": "Coffer", "CofferError": "Coffer", "Entity": "Coffer",
        "Field": "Coffer",
        "One": "Coffer", "Many": "Coffer", "Index": "Coffer", "Fetched": "Coffer",
        "FetchRequestTemplate": "Coffer", "Unique": "Coffer", "Configuration": "Coffer",
        "AttributeValue": "Coffer",
        "QueryPredicate": "Coffer", "QueryComparison": "Coffer", "QueryArgument": "Coffer",
    ]
}
