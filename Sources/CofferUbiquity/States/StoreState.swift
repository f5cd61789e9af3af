package import CofferWire

/// Where a store with a ubiquitous content name is in its life.
///
/// Whatever changes which content is served passes through `asking`, unless no client can notice.
package enum StoreState: Hashable, Sendable {
    /// Applications have this content.
    case serving(ServedContent)
    /// They have what was served before, and are asked to save it and to let it go.
    case asking(StoreQuestion)

    /// What applications have.
    package var served: ServedContent {
        switch self {
        case .serving(let content): content
        case .asking(let question): question.former
        }
    }

    /// What they have now, or after the exchange that is under way.
    package var wanted: ServedContent {
        switch self {
        case .serving(let content): content
        case .asking(let question): question.next
        }
    }
}

/// What clients are asked before the content of a store is exchanged.
package struct StoreQuestion: Hashable, Sendable {
    /// What they have.
    package let former: ServedContent
    /// What they are to have.
    package let next: ServedContent
    /// Why.
    package let kind: StoreTransitionMessage.Kind
    /// Rises with each question of a store: answers to former ones do not count.
    package let number: UInt64

    /// A question from its parts.
    package init(
        former: ServedContent, next: ServedContent, kind: StoreTransitionMessage.Kind, number: UInt64
    ) {
        (self.former, self.next, self.kind, self.number) = (former, next, kind, number)
    }

    /// Whether an account's store makes room for another one of that account, which begins with nothing.
    package var isAnew: Bool {
        kind == .contentRemoved && next.account != nil && next.account == former.account
    }
}

/// What happens to a store with a ubiquitous content name.
package enum StoreOccurrence: Hashable, Sendable {
    /// An account is signed in; `isWhole` if its own store is here and was complete before.
    case signedIn(Int64, isWhole: Bool)
    /// No account is signed in.
    case signedOut
    /// The account's container holds little or nothing: what serves meanwhile becomes the account's store.
    case small(Int64)
    /// The account's own store is complete.
    case built(Int64)
    /// This content took the place of what was served.
    case swapped(ServedContent)
    /// What was served could not be exchanged, and is served on.
    case failed
    /// The content of the account's container was deleted.
    case emptied(Int64)
    /// Another container is where the account's was.
    case replaced(Int64)
    /// The account's store is to be made again from its container.
    case rebuild
    /// An application removes the store with its content.
    case removed
    /// An application adds it; `nil` if no account is signed in.
    case added(Int64?)
}

/// What the owner of a store has to do, in order.
package enum StoreAction: Hashable, Sendable {
    /// Ask clients, and then exchange what is served.
    case ask(StoreQuestion)
    /// Ask clients again, for the last question alone.
    case askAnew(StoreQuestion)
}
