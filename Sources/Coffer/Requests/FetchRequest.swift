public import CofferModel

/// What a context is to fetch, and the class of the objects.
///
/// ```swift
/// let request = try FetchRequest<Note>().matching("title CONTAINS[c] %@", "milk")
///     .sorted(by: "stars", .descending).prefetching("folder").limit(50)
/// let notes = try context.fetch(request)
/// ```
public struct FetchRequest<Object: ManagedObject> {
    /// The entity; `nil` for that of the class.
    public var entityName: String?
    /// What is demanded of objects; all fit if it is `nil`.
    public var predicate: QueryPredicate?
    /// The order, the most significant first; unspecified if it is empty.
    public var sortDescriptors: [QuerySort] = []
    /// At most so many; `nil` for all, and none if it is 0 or less, as what is left of a page that is
    /// full.
    ///
    /// Core Data takes 0 for all, and a number below 0 for a very large one.
    public var limit: Int?
    /// So many are left out at the beginning; none if it is below 0.
    public var offset = 0
    /// Whether objects of entities that inherit from the entity are included.
    public var includesSubentities = true
    /// Which values come along, key paths joined by dots; all attributes and to-one relationships if it is
    /// empty.
    ///
    /// Objects read the others when they are asked for them; dictionaries have no others.
    public var propertiesToFetch: [String] = []
    /// Whether values of attributes that allow external storage come along, too, if `propertiesToFetch` is
    /// empty; also of what is prefetched, and of faults when they fire.
    ///
    /// Else objects read them when they are asked for them: a list of pictures moves none of them before one
    /// is shown. When such a value is read, all other values of its object are read again, so that they are
    /// of one moment. If it is set before it was read, a change made elsewhere that may have been one of this
    /// value is a conflict.
    public var includesExternalValues = false
    /// Whether objects are faults, which read their values when they are asked for them, 200 objects at a
    /// time.
    ///
    /// The store reads the rows all the same, and keeps them in its row cache while the faults are there:
    /// they fire without reading the file. Core Data's default is `true`, since there the cache is in the
    /// application's own process.
    public var returnsObjectsAsFaults = false
    /// Whether values are read at all; `false` fetches ids only, and faults that fire read the file.
    public var includesPropertyValues = true
    /// How many objects are read at a time; 0 for all at once.
    ///
    /// Above 0 only ids are fetched at first: `fetchLazily(_:)` makes objects of them while they are walked
    /// through, and `fetch(_:)` gives faults that are read so many at a time when they fire.
    public var fetchBatchSize = 0
    /// Key paths of relationships, keys joined by dots: what they lead to from the objects found is read
    /// along, and reading it then needs no call.
    ///
    /// Each step costs one round trip more for 10,000 objects, however many there are at its end; paths that
    /// begin alike share their steps. What is read stays as long as the objects that lead to it, but a save
    /// of the context forgets it. Only objects are prefetched for, not ids, counts or dictionaries. A key
    /// that is not a relationship is `CofferError.unknown`; Core Data ignores it.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The names of the stores that are asked, if several keep the entity; all are if it is empty.
    ///
    /// A new object counts as one of the store that it will be saved in. A name of no store that keeps the
    /// entity is `CofferError.unknown`.
    public var affectedStores: [String] = []
    /// Whether what the context changed and did not save takes part.
    public var includesPendingChanges = true
    /// Whether equal dictionaries are given once.
    public var returnsDistinctResults = false
    /// What dictionaries hold besides, under names of their own, for example
    /// `NamedExpression("total", format: "sum:(price)")`.
    public var expressionsToFetch: [NamedExpression] = []
    /// Key paths joined by dots: dictionaries are of the groups of objects that agree in all of them.
    public var groupBy: [String] = []
    /// What is demanded of a group; a key path may be the name of an expression.
    public var having: QueryPredicate?
    /// The locale whose rules localized orders follow, as `de_DE`; `nil` for that of the process's
    /// environment.
    public var locale: String?

    /// Names the place in the application that fetches, in traces and in the log of slow fetches; `nil`: the
    /// context's name stands for it.
    public var label: String?

    /// All objects of the class's entity.
    public init() {}

    /// The objects of the class's entity that fit.
    public init(_ predicate: QueryPredicate?) {
        self.predicate = predicate
    }

    /// The objects of an entity that fit.
    public init(entityName: String, _ predicate: QueryPredicate? = nil) {
        self.entityName = entityName
        self.predicate = predicate
    }
}

extension FetchRequest: Sendable {}

extension FetchRequest {
    /// The request with a predicate as Core Data writes it, for example `title BEGINSWITH[cd] %@`.
    ///
    /// - Throws: `.predicate` with the place in the format and what was expected there.
    public func matching(_ format: String, _ arguments: any QueryArgument...) throws(CofferError)
        -> FetchRequest
    {
        var copy = self
        do throws(QueryError) {
            copy.predicate = try QueryPredicate(format: format, arguments: arguments)
        } catch {
            throw .predicate(error)
        }
        return copy
    }

    /// The request, ordered by a property as well.
    public func sorted(by keyPath: String, _ direction: SortDirection = .ascending) -> FetchRequest {
        var copy = self
        copy.sortDescriptors.append(QuerySort(keyPath, ascending: direction == .ascending))
        return copy
    }

    /// The request, which reads along what key paths of relationships lead to: see
    /// `relationshipKeyPathsForPrefetching`.
    public func prefetching(_ keyPaths: String...) -> FetchRequest {
        var copy = self
        copy.relationshipKeyPathsForPrefetching += keyPaths
        return copy
    }

    /// The request for objects of some stores only: see `affectedStores`.
    public func inStores(_ names: String...) -> FetchRequest {
        var copy = self
        copy.affectedStores += names
        return copy
    }

    /// The request with a name for the place in the application that fetches.
    public func labeled(_ label: String) -> FetchRequest {
        var copy = self
        copy.label = label
        return copy
    }

    /// The request whose objects are read so many at a time: see `fetchBatchSize`.
    public func batchSize(_ count: Int) -> FetchRequest {
        var copy = self
        copy.fetchBatchSize = count
        return copy
    }

    /// The request for at most so many.
    public func limit(_ count: Int) -> FetchRequest {
        var copy = self
        copy.limit = count
        return copy
    }

    /// The request without so many at the beginning.
    public func offset(_ count: Int) -> FetchRequest {
        var copy = self
        copy.offset = count
        return copy
    }
}

/// Which way an order runs.
public enum SortDirection: Sendable, Hashable {
    /// Small before large; null is smallest.
    case ascending
    /// Large before small.
    case descending
}

/// What a fetch brings of the objects that it finds.
enum FetchedForm {
    /// All values.
    case objects
    /// Faults, whose rows the store keeps at hand.
    case faults
    /// Faults of which the store has read no more than ids, to be read so many at a time.
    case ids(batchSize: Int)

    /// Whether objects come without values.
    var isFault: Bool { if case .objects = self { false } else { true } }
}

extension FetchRequest {
    /// How many are left out at the beginning, and how many come at most; neither is below 0.
    var window: (offset: Int, limit: Int?) { (max(0, offset), limit.map { max(0, $0) }) }

    /// What it brings.
    var form: FetchedForm {
        if fetchBatchSize > 0 { return .ids(batchSize: fetchBatchSize) }
        if !includesPropertyValues { return .ids(batchSize: Limits.faultBatch) }
        return returnsObjectsAsFaults ? .faults : .objects
    }
}
