public import CofferModel

extension ManagedObjectModel {
    /// A copy of the model whose objects are of these classes in every context over it.
    ///
    /// The classes stand by the names of their entities. An entity without one takes that of the entity it
    /// inherits from, else the one it is first inserted or fetched with;
    /// `ManagedObjectContext.register(_:forEntity:)` overrides them in one context.
    ///
    /// - Precondition: The model has the entities.
    public func withClasses(_ types: [String: ManagedObject.Type]) -> ManagedObjectModel {
        for name in types.keys {
            precondition(entity(named: name) != nil, "the model has no entity '\(name)'")
        }
        return ManagedObjectModel(self, objectClasses: objectClasses.merging(types) { $1 })
    }
}
