import CofferModel
import FoundationEssentials

/// A reference travels without its store, and a key of another store names another object there: what is
/// asked of a store names objects of others as one that is not saved, which is none of its own.
extension QueryPredicate {
    /// The predicate as it is asked of a store.
    func asked(of store: UUID) -> QueryPredicate {
        guard namesObjects(where: { $0.isUnknown(to: store) }) else { return self }
        return replacingLeaves { $0.strangerIfUnknown(to: store) }
    }
}

extension QueryExpression {
    /// The expression as it is asked of a store.
    func asked(of store: UUID) -> QueryExpression {
        replacingLeaves { $0.strangerIfUnknown(to: store) }
    }

    fileprivate func strangerIfUnknown(to store: UUID) -> QueryExpression? {
        guard case .constant(.object(let id)) = self, id.isUnknown(to: store) else { return nil }
        return .constant(.object(ManagedObjectID(entity: id.entity, storeUUID: nil, key: .temporary(UUID()))))
    }
}

extension ManagedObjectID {
    fileprivate func isUnknown(to store: UUID) -> Bool { !isTemporary && storeUUID != store }
}

extension FetchDescription {
    /// The description as it is asked of a store.
    consuming func asked(of store: UUID) -> FetchDescription {
        if let asked = predicate?.asked(of: store) { predicate = asked }
        if let asked = having?.asked(of: store) { having = asked }
        for place in expressions.indices {
            expressions[place].expression = expressions[place].expression.asked(of: store)
        }
        return self
    }
}
