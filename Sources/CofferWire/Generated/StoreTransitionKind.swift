// Made by Protos/generate: do not edit.

/// Why a store with a ubiquitous content name has other content from now on.
///
/// `coffer.v1.StoreTransition`.
package enum StoreTransitionKind: UInt32, Sendable, CaseIterable, WireChoice {
    /// An account was signed in to: what comes is the account's.
    case accountAdded = 1
    /// No account is signed in to: what comes belongs to this machine alone.
    case accountRemoved = 2
    /// The account's content was deleted or exchanged, or is to be read again.
    case contentRemoved = 3
    /// The account's own store is complete, and takes the place of what served meanwhile.
    case initialImportCompleted = 4
}
