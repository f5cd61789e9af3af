import CofferModel
import CofferWire

/// What wins when a save finds that an object changed in the store since the context read it.
///
/// A delete of an object that changed since is such a case, too: if the store wins, the object stays, and
/// the context has it back as the store has it. What the delete did to other objects by its rules is saved
/// all the same.
///
/// One-to-one relationships are won or lost as pairs. If the store keeps what it has at one end, the change
/// of the other end is taken back with it. If the context wins, the object that the store had at that end
/// is left without a partner.
///
/// Uniqueness constraints are resolved by the same policy, in the service and in the same round trip. If a
/// new object has values that a stored one of the same entity has already, the two become one: the new
/// object takes the stored one's id, and the policy says whose values stay. So a save is an upsert under
/// `mergeByPropertyObjectTrump`, which writes what was set of the new object, be it null or the model's
/// default, and under `overwrite`, which writes all of it; under the two others the stored values stay. If
/// the context has the stored object already, that one stays, and the new one turns out deleted: one id has
/// one object in a context. Of two stored objects that come to agree, the changed one keeps its stored
/// values if the store wins, and if the context wins, the other is deleted by its delete rules. Objects
/// that one save changes to the same values, and those of different entities, are conflicts under every
/// policy: nothing tells which is meant. Objects that swap their values are not in conflict.
///
/// ```swift
/// context.mergePolicy = .mergeByPropertyObjectTrump  // What this context set wins, property by property.
/// try context.save()
/// ```
public enum MergePolicy: Sendable, Hashable, CaseIterable {
    /// Neither wins: the save throws `CofferError.conflicts`, and nothing is written.
    case error
    /// Each changed property is judged by itself; the store wins if both changed one.
    case mergeByPropertyStoreTrump
    /// Each changed property is judged by itself; the context wins if both changed one.
    case mergeByPropertyObjectTrump
    /// The context's whole object wins; a value of an attribute that allows external storage only if the
    /// context has read or set it.
    case overwrite
    /// The store's whole object wins.
    case rollback
    /// The application decides, conflict by conflict.
    case custom(ConflictResolver)

    /// The policies that need no application.
    public static let allCases: [MergePolicy] = [
        .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]

    /// A policy that asks `resolve`, as `ConflictResolver` describes.
    public static func custom(
        named name: String, resolve: @escaping @Sendable (SaveConflicts) -> SaveResolution?
    ) -> MergePolicy {
        .custom(ConflictResolver(name: name, resolve: resolve))
    }

    /// The rule that a save is tried with: under a policy of the application neither side wins before it is
    /// asked.
    var rule: MergeRule {
        switch self {
        case .error, .custom: .error
        case .mergeByPropertyStoreTrump: .storeTrump
        case .mergeByPropertyObjectTrump: .objectTrump
        case .overwrite: .overwrite
        case .rollback: .rollback
        }
    }

    /// As it travels.
    var message: MergePolicyMessage { MergePolicyMessage(rule) }
}
