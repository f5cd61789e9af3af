package import CofferModel

/// What a caller wants to do to the objects of an entity.
package enum AccessVerb: Sendable, CaseIterable {
    /// Fetches, faults, history.
    case read
    /// Saves.
    case write
    /// Pushes.
    case observe
    /// Opening, removing, metadata, maintenance: no rows.
    case administer
}

/// What a caller may do.
package enum AccessDecision: Sendable, Equatable {
    /// Everything asked for.
    case all
    /// Nothing.
    case none
    /// Objects for which the predicate holds.
    case predicate(QueryPredicate)
}

/// Decides for every request and push.
package protocol AccessPolicy: Sendable {
    /// What `caller` may do in a store of the given owner and application; `entity` is `nil` for the store as
    /// a whole.
    func decide(
        _ caller: Caller, owner: UInt32, application: String, entity: String?, verb: AccessVerb
    ) -> AccessDecision
}

/// The built-in rules: the owner may do all, a sandboxed application only in its own folder, uid 0 sees
/// metadata but never rows.
package struct OwnerPolicy: AccessPolicy {
    package init() {}

    package func decide(
        _ caller: Caller, owner: UInt32, application: String, entity: String?, verb: AccessVerb
    ) -> AccessDecision {
        if caller.isSandboxed && caller.application != application { return .none }
        if caller.userID == owner { return .all }
        return caller.userID == 0 && verb == .administer ? .all : .none
    }
}
