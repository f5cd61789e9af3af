public import CofferModel

extension QueryPredicate {
    /// Whether the predicate holds for an object, by its values in its context, with changes that are not
    /// saved; faults fire.
    ///
    /// The answer is that of the object's store for the same values. Functions of `QueryFunctions` are
    /// called.
    /// - Throws: `CofferError.predicate` if the predicate does not fit the object's entity, or cannot take
    ///   its values; `.objectDeleted` if the object is in no context any more.
    public func evaluate(with object: ManagedObject) throws(CofferError) -> Bool {
        guard let context = object.context else { throw object.loss }
        do throws(QueryError) {
            let predicate = try check(for: object.entity, in: context.model)
            return try predicate.evaluate(on: ObjectSubject(object: object))
        } catch {
            throw .predicate(error)
        }
    }
}

extension QueryExpression {
    /// The value of an expression for an object, as `QueryPredicate.evaluate(with:)` sees it; `nil` for one
    /// that gives a collection.
    ///
    /// - Throws: `CofferError.predicate` if a key is unknown, or a function cannot take its arguments.
    public func value(for object: ManagedObject) throws(CofferError) -> AttributeValue? {
        do throws(QueryError) {
            return try evaluate(on: ObjectSubject(object: object))
        } catch {
            throw .predicate(error)
        }
    }
}
