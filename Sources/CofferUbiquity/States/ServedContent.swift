/// Which content of a store with a ubiquitous content name applications have: accounts are named by number.
package enum ServedContent: Hashable, Sendable {
    /// What is saved while no account is signed in.
    case local
    /// What serves until an account's own store is known to be complete.
    case fallback(of: Int64)
    /// An account's own store, whether or not its container is there.
    case live(of: Int64)
    /// An empty store of an account that fills from its container.
    case rebuilding(of: Int64)
    /// None: it was removed.
    case none

    /// The account whose content it is.
    package var account: Int64? {
        switch self {
        case .fallback(let account), .live(let account), .rebuilding(let account): account
        case .local, .none: nil
        }
    }

    /// Whether what is saved goes to no other machine for now, which Core Data logs as 'using local storage'.
    package var isLocalStorage: Bool {
        switch self {
        case .local, .fallback, .none: true
        case .live, .rebuilding: false
        }
    }
}
