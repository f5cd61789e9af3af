public import CofferModel
public import FoundationEssentials

extension ManagedObjectModel {
    /// A copy of the model that knows the properties of its objects' classes by their key paths.
    ///
    /// `names` gives for a class the names of its properties in the model, inherited ones included.
    /// `coffer model generate` writes it.
    public func withKeyPaths(
        _ names: @escaping @Sendable (ManagedObject.Type) -> [AnyKeyPath: String]
    ) -> ManagedObjectModel {
        ManagedObjectModel(self, objectClasses: objectClasses) { type in
            (type as? ManagedObject.Type).map(names) ?? [:]
        }
    }

    /// What a predicate of Foundation demands of objects, in words that stores have.
    ///
    /// It has Swift's answer: optionals, `count` of a text, and nulls that a property reads as something
    /// else, its default for example. What cannot have it is refused by name: regular expressions, types,
    /// elements at a place, arithmetic with `Float` and `Decimal`, dividing by what may be 0. Key paths are
    /// those of the classes that `withKeyPaths(_:)` named; objects and their ids may be captured.
    ///
    /// Stores differ in what they keep: texts are compared by their bytes, decimals as the nearest doubles,
    /// and types of an application by the value that their attribute holds. If Swift would stop, as at `!` of
    /// `nil`, an object may be found or not.
    /// - Throws: `CofferError.predicate(.invalidOperand)`, with the part that has no meaning for a store.
    public func queryPredicate<Object: ManagedObject>(
        _ predicate: Predicate<Object>
    ) throws(CofferError) -> QueryPredicate {
        var translation = PredicateTranslation(model: self)
        translation.bind(predicate.variable.key, to: PredicateOperand(.evaluatedObject, null: .never))
        do throws(QueryError) {
            return try translation.predicate(predicate.expression)
        } catch { throw .predicate(error) }
    }
}

extension FetchRequest {
    /// The objects of the class's entity that fit a predicate of Foundation.
    ///
    /// - Throws: As `ManagedObjectModel.queryPredicate(_:)`.
    public init(_ predicate: Predicate<Object>, in model: ManagedObjectModel) throws(CofferError) {
        self.init(try model.queryPredicate(predicate))
    }
}

extension ManagedObjectContext {
    /// The objects that fit a predicate of Foundation:
    /// `try context.fetch(#Predicate<Note> { $0.stars > 3 })`.
    ///
    /// - Throws: As `ManagedObjectModel.queryPredicate(_:)`, and as the fetch of a request.
    public func fetch<Object: ManagedObject>(_ predicate: Predicate<Object>) throws(CofferError) -> [Object] {
        try fetch(FetchRequest(predicate, in: model))
    }
}
