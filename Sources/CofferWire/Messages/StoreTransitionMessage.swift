/// Why a store with a ubiquitous content name has other content from now on, and which question tells of it:
/// `coffer.v1.StoreTransition` with its number.
package struct StoreTransitionMessage: Sendable, Hashable {
    /// The raw values travel.
    package enum Kind: UInt32, Sendable, CaseIterable {
        case accountAdded = 1
        case accountRemoved = 2
        case contentRemoved = 3
        case initialImportCompleted = 4
    }

    /// Why.
    package var kind: Kind
    /// Rises with each question of the store.
    package var question: UInt64

    /// A transition from its parts.
    package init(kind: Kind, question: UInt64) { (self.kind, self.question) = (kind, question) }

    /// What two fields say; `nil` where there is none.
    ///
    /// - Throws: `WireError.malformed` where the kind is unknown.
    init?(kind: UInt32, question: UInt64, field: StaticString) throws(WireError) {
        if kind == 0 { return nil }
        self.init(kind: try choice(kind, field), question: question)
    }
}

/// `coffer.v1.LocalContent`: what becomes of what was saved while nobody was signed in, when somebody is.
package enum LocalContentMessage: UInt32, Sendable, CaseIterable {
    case keep = 1
    case merge = 2
    case discard = 3
}
