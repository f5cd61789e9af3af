/// Why a store with a ubiquitous content name has other content from now on, and which question tells of it:
/// `coffer.v1.StoreTransition` with its number.
package struct StoreTransitionMessage: Sendable, Hashable {
    /// Why.
    package typealias Kind = StoreTransitionKind

    /// Why.
    package var kind: Kind
    /// Rises with each question of the store.
    package var question: UInt64

    /// A transition from its parts.
    package init(kind: Kind, question: UInt64) { (self.kind, self.question) = (kind, question) }
}
