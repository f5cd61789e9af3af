import CofferModel

extension ManagedObject {
    /// The objects of a fetched property, in the order in which the stores give them.
    ///
    /// Fetched when it is asked for first, and kept until this object is refreshed or its context reset, as
    /// in Core Data: what changes in between does not show. But if one of the objects was not saved yet, they
    /// are fetched again. An object that is deleted meanwhile stays among them, and says so.
    /// - Parameter key: The property's name.
    /// - Returns: The objects; what the context did not save takes part.
    /// - Throws: `CofferError.unknown` if the entity has no such fetched property, or its predicate names
    ///   a property that the object lacks; `.predicate` if it cannot be read; `.objectDeleted` if this
    ///   object is gone; else why the fetch failed.
    public final func fetchedObjects(forKey key: String) throws(CofferError) -> [ManagedObject] {
        guard let property = entity.fetchedProperty(named: key) else {
            throw .unknown(kind: "fetched property of '\(entity.name)'", name: key)
        }
        guard let context else { throw loss }
        if let known = edits?.fetched[key] { return known.map { context.object(with: $0) } }
        let request = try FetchRequest<ManagedObject>(property.request) {
            (variable, keys) throws(CofferError) in
            switch variable {
            case "FETCH_SOURCE": try self.sourceValue(keys)
            case "FETCHED_PROPERTY": try Self.value(keys, of: property)
            default: nil
            }
        }
        let objects = try context.fetch(request)
        // An object that is not saved changes its name when it is.
        if objects.contains(where: \.isInserted) { return objects }
        makeEdits().fetched[key] = objects.map(\.objectID)
        return objects
    }

    /// What `$FETCH_SOURCE.keys` stands for: the object, one of its values, or those of all objects that a
    /// to-many relationship leads to.
    private final func sourceValue(_ keys: [String]) throws(CofferError) -> QueryExpression {
        var places = [self]
        var isMany = false
        for (index, key) in keys.enumerated() {
            let isLast = index == keys.count - 1
            var values: [QueryExpression] = []
            var next: [ManagedObject] = []
            for place in places {
                guard let property = place.entity.property(named: key),
                    isLast || property.relationship != nil
                else {
                    throw .unknown(kind: "property of '\(place.entity.name)'", name: key)
                }
                if property.relationship?.isToMany ?? false { isMany = true }
                if property.relationship == nil {
                    values.append(.constant(place.value(forKey: key)))
                } else {
                    next += place.objects(forKey: key)
                }
            }
            if isLast, !values.isEmpty { return isMany ? .collection(values) : values[0] }
            places = next
        }
        let ids = places.map { QueryExpression.constant(.object($0.objectID)) }
        if isMany { return .collection(ids) }
        return ids.first ?? .constant(.null)
    }

    /// What `$FETCHED_PROPERTY.keys` stands for: the property's name, or one of its notes.
    private static func value(
        _ keys: [String], of property: FetchedPropertyDefinition
    ) throws(CofferError) -> QueryExpression {
        if keys == ["name"] { return .constant(.string(property.name)) }
        guard keys.count == 2, keys[0] == "userInfo" else {
            throw .unknown(kind: "key of a fetched property", name: keys.joined(separator: "."))
        }
        return .constant(property.userInfo[keys[1]].map { .string($0) } ?? .null)
    }
}
