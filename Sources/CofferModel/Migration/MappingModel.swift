/// How objects of one model become objects of another, as a developer has written it: Core Data's mapping
/// model.
///
/// A plain value, not yet checked against any model.
public struct MappingModel: Sendable, Hashable {
    /// What becomes of which objects, in the order in which that happens.
    public var entities: [Entity]

    /// A mapping of entities, in order.
    public init(entities: [Entity]) { self.entities = entities }

    /// What an entity mapping does.
    public enum Kind: Int64, Sendable, Hashable {
        /// The entities themselves tell.
        case undefined = 0
        /// A class of the application's does it.
        case custom = 1
        /// The entity is new.
        case add = 2
        /// Its objects go.
        case remove = 3
        /// Objects are as they were.
        case copy = 4
        /// Objects change.
        case transform = 5
    }

    /// What becomes of the objects of one entity.
    public struct Entity: Sendable, Hashable {
        /// The name, unique in the mapping model: `NoteToNote`.
        public var name: String
        /// What it does.
        public var kind: Kind
        /// The entity whose objects it takes; `nil` if they come from nowhere.
        public var source: String?
        /// The entity whose objects it makes; `nil` if they go.
        public var destination: String?
        /// The version hash of the source, if it is known.
        public var sourceHash: [UInt8]?
        /// The version hash of the destination, if it is known.
        public var destinationHash: [UInt8]?
        /// The format of a predicate that the objects it takes satisfy; `nil` for all.
        public var predicate: String?
        /// The application's class that does it.
        public var policyClassName: String?
        /// Where the values of attributes come from.
        public var attributes: [Property]
        /// Where the objects of relationships come from.
        public var relationships: [Property]
        /// Free notes of the application, for its class.
        public var userInfo: [String: String]

        /// A mapping of objects, with nothing said of their properties.
        public init(_ name: String, kind: Kind = .undefined, source: String?, destination: String?) {
            self.name = name
            self.kind = kind
            self.source = source
            self.destination = destination
            (attributes, relationships, userInfo) = ([], [], [:])
        }
    }

    /// Where the value of one property of the destination comes from.
    public struct Property: Sendable, Hashable {
        /// The property's name in the destination.
        public var name: String
        /// Where its value comes from.
        public var value: Value

        /// A property and where its value comes from.
        public init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }
    }

    /// Where a value comes from.
    public enum Value: Sendable, Hashable {
        /// From the source's property of the same name, if it has one.
        case automatic
        /// From nowhere.
        case none
        /// From an expression, in which `$source` is the object that is mapped and `$manager` the migration.
        case expression(String)
        /// From what a mapping, or all of them, made of the objects that an expression names.
        case mapped(by: String?, objects: String)
        /// From what was made of the objects of a source's relationship, which an expression names.
        case mappedRelationship(String, objects: String)
    }
}
