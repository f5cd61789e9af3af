public import CofferModel

extension ManagedObject: QueryArgument {
    /// The object's id as a constant: `matching("group == %@", group)`.
    public final var queryExpression: QueryExpression { objectID.queryExpression }
}
