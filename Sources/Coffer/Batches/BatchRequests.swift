public import CofferModel

/// What an application wants to know of the objects of a batch operation.
public enum BatchResultType: Sendable, Hashable, CaseIterable {
    /// Only whether it succeeded.
    case statusOnly
    /// How many they were.
    case count
    /// Which they were.
    case objectIDs
}

/// New objects that are written without a context.
///
/// Values are checked like those of a save: missing mandatory attributes and broken bounds are
/// `CofferError.validation`. Other than in Core Data, a property that a row leaves out has the model's
/// default, broken uniqueness constraints are told or resolved by the context's merge policy, whatever the
/// operating system's version, and every context of every process learns of the new objects as of any save.
///
/// ```swift
/// let rows: [[String: AttributeValue]] = [["title": .string("Milk")], ["title": .string("Bread")]]
/// let result = try context.execute(BatchInsert(entityName: "Note", objects: rows))
/// print(result.count ?? 0)
/// ```
public struct BatchInsert {
    /// The entity, which is not abstract.
    public let entityName: String
    /// What is answered; how many objects, if nothing else is said.
    public var resultType = BatchResultType.count
    /// At most so many rows are one transaction, less than one counting as one; if it is `nil`, all rows
    /// are one transaction.
    ///
    /// One transaction takes what a message takes, 64 MiB, and is written wholly or not at all. With a
    /// number, memory is bounded by so many rows, each transaction is durable before the next begins, and an
    /// error leaves those before it.
    public var rowsPerTransaction: Int?
    /// The store, if several could keep the entity.
    public var storeName: String?
    /// What makes the rows of one execution.
    ///
    /// It starts at the first object each time, so that a request that failed can be carried out again; a
    /// closure of the caller's goes on where it is.
    let makeNext: () -> () throws -> [String: AttributeValue]?

    /// Rows as dictionaries of values, those of to-one relationships object ids.
    public init(entityName: String, objects: [[String: AttributeValue]]) {
        self.entityName = entityName
        makeNext = {
            var rest = objects[...]
            return { rest.popFirst() }
        }
    }

    /// Rows that `next` makes, one a call, until it gives `nil`.
    ///
    /// Core Data's handlers fill a row, and return `true` at the end. They do not compile here.
    public init(entityName: String, next: @escaping () throws -> [String: AttributeValue]?) {
        self.entityName = entityName
        makeNext = { next }
    }
}

/// Changes of all objects that fit, without reading them into a context.
///
/// The new values are computed in the service, of the objects' own values before, and checked like those of a
/// save. All is one transaction a store. Other than in Core Data, contexts need no refresh: every context
/// that holds one of the objects is told, in this process and in others, and a context's own unsaved changes
/// meet the update as a conflict when they are saved.
///
/// ```swift
/// let few = try QueryPredicate(format: "stars < %d", 2)
/// let increment = try QueryExpression(format: "stars + 1")
/// try context.execute(BatchUpdate(entityName: "Note", few, set: ["stars": increment]))
/// ```
public struct BatchUpdate: Sendable {
    /// The entity.
    public let entityName: String
    /// What is demanded of the objects; all fit if it is `nil`.
    public var predicate: QueryPredicate?
    /// Whether objects of entities that inherit from the entity are included.
    public var includesSubentities = true
    /// What the properties become: attributes, or to-one relationships by object id.
    public var propertiesToUpdate: [String: QueryExpression]
    /// What is answered; how many objects, if nothing else is said.
    public var resultType = BatchResultType.count

    /// A change of the objects that fit, for example `["price": try QueryExpression(format: "price * 1.2")]`.
    public init(
        entityName: String, _ predicate: QueryPredicate? = nil, set properties: [String: any QueryArgument]
    ) {
        self.entityName = entityName
        self.predicate = predicate
        propertiesToUpdate = properties.mapValues(\.queryExpression)
    }
}

/// A delete of all objects that fit, without reading them into a context.
///
/// Delete rules are followed, in the service and in the same transaction: nullify, cascade and deny, as a
/// save follows them. So, other than in Core Data, nothing is left that names a deleted object. If a rule
/// denies the delete, or would take a mandatory relationship's value, nothing is deleted and
/// `CofferError.validation` says why. What rules delete besides is not counted.
///
/// ```swift
/// try context.execute(BatchDelete(entityName: "Note", QueryPredicate(format: "stars == 0")))
/// ```
public struct BatchDelete: Sendable {
    /// The entity.
    public let entityName: String
    /// What is demanded of the objects; all fit if it is `nil`.
    public var predicate: QueryPredicate?
    /// Whether objects of entities that inherit from the entity are included.
    public var includesSubentities = true
    /// Only these, if it is not `nil`; those that do not exist are passed over, those of an unrelated
    /// entity refused.
    public var objectIDs: [ManagedObjectID]?
    /// What is answered; how many objects, if nothing else is said.
    public var resultType = BatchResultType.count

    /// A delete of the objects that fit.
    public init(entityName: String, _ predicate: QueryPredicate? = nil) {
        self.entityName = entityName
        self.predicate = predicate
    }

    /// A delete of some objects of an entity.
    public init(entityName: String, objectIDs: [ManagedObjectID]) {
        self.entityName = entityName
        self.objectIDs = objectIDs
    }
}

/// What a batch operation did; it is durable.
public struct BatchResult: Sendable, Equatable {
    /// How many objects it named; `nil` if only the status was asked for, so that they were not counted.
    public internal(set) var count: Int?
    /// Which it inserted, in the order of the rows, if ids were asked for.
    public internal(set) var inserted: [ManagedObjectID] = []
    /// Which it changed, if ids were asked for; stored objects that took over inserted rows too.
    public internal(set) var updated: [ManagedObjectID] = []
    /// Which it deleted, if ids were asked for.
    public internal(set) var deleted: [ManagedObjectID] = []
    /// The last transaction of each store, by the store's name.
    public internal(set) var transactions: [String: UInt64] = [:]
}
