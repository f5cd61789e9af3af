import CofferUbiquity

/// The account that was signed in at one look.
struct AccountSight {
    /// The number of the look: later ones have greater ones.
    let turn: UInt64
    let account: Account?
}
