package import CofferModel

/// An object as applications see it: one row, made of one record or of several.
package struct SeenObject: Sendable, Hashable {
    /// The smallest of its records' ids.
    package let id: RecordID
    /// The entity's name.
    package let entity: String
    /// What it is made of, deleted records of it included.
    package let records: Set<RecordID>
    /// The attributes, by name; null if the value is large.
    package var values: PropertyMap<AttributeValue> = [:]
    /// The attributes whose values are large, by name.
    package var largeValues: PropertyMap<LargeValue> = [:]
    /// The objects that to-one relationships lead to, by name; those that lead to no object are left out.
    package var references: PropertyMap<RecordID> = [:]
    /// The members of relationships of many to many, by name; empty ones are left out.
    package var members: PropertyMap<Set<RecordID>> = [:]
    /// The members of ordered relationships in their order, by name; empty ones are left out.
    package var orders: PropertyMap<[RecordID]> = [:]

    /// An object of which only the records are known yet.
    package init(_ id: RecordID, entity: String, records: Set<RecordID>) {
        self.id = id
        self.entity = entity
        self.records = records
    }

    /// What a cell would hold that said the same of an attribute.
    package func content(_ property: String) -> Cell.Content {
        if let large = largeValues[property] { return .large(large) }
        guard let value = values[property], !value.isNull else { return .null }
        return .value(value)
    }
}

/// What the model forbids and merging brought about.
package struct Violation: Sendable, Hashable {
    /// The object.
    package let object: RecordID
    /// The properties concerned.
    package let properties: [String]
    /// What is wrong with them.
    package let kind: Kind

    /// What can be wrong.
    package enum Kind: Sendable, Hashable {
        /// A required relationship leads to no object that has come.
        case missing
        /// Another entity's object has the same key: the optional properties of it are seen as null.
        case keyTaken
        /// Another entity's object has the same key, all of it required: the object is not seen.
        case hidden
    }

    /// A violation of an object.
    package init(of object: RecordID, _ properties: [String], _ kind: Kind) {
        self.object = object
        self.properties = properties
        self.kind = kind
    }
}

/// All that applications see of a state: a pure function of state and model.
package struct SeenGraph: Sendable, Hashable {
    /// The objects by their names.
    package var objects: [RecordID: SeenObject] = [:]
    /// The records that are dead.
    package var dead: Set<RecordID> = []
    /// What the model forbids and is there.
    package var violations: Set<Violation> = []

    /// A graph that shows nothing.
    package init() {}
}
