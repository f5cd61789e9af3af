public import CofferModel

extension ManagedObject {
    /// The value of an attribute, read without telling observers: for accessors that a class writes itself.
    ///
    /// A fault fires; Core Data would answer null for it.
    /// - Precondition: The entity has an attribute of that name.
    public final func primitiveValue(forKey key: String) -> AttributeValue {
        guard let slot = entity.propertyIndex(named: key), layout.attributeTypes[slot] != nil else {
            preconditionFailure("entity '\(entity.name)' has no attribute '\(key)'")
        }
        return attributeValue(of: content(slot), slot)
    }

    /// Sets an attribute without telling its observers, and so that undo does not take it back: for values
    /// that follow from others.
    ///
    /// It is saved as any other change is; with Core Data only after a call of `willChangeValue(forKey:)`.
    /// - Throws: `CofferError.unknown` if the entity has no such attribute; `.wrongType` if the value
    ///   does not fit it; `.objectDeleted` if this object is gone.
    public final func setPrimitiveValue(_ value: AttributeValue, forKey key: String) throws(CofferError) {
        guard let slot = entity.propertyIndex(named: key), let type = layout.attributeTypes[slot] else {
            throw .unknown(kind: "attribute of '\(entity.name)'", name: key)
        }
        if status.contains(.gone) { throw loss }
        let value = value.adapted(to: type)
        guard value.isOfKind(type) else {
            throw .wrongType(entity: entity.name, property: key, expected: "\(type)")
        }
        recordUntold(.value(value), slot)
    }
}
