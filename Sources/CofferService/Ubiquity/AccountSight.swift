import CofferUbiquity

/// Who was signed in when somebody looked.
struct AccountSight {
    /// The number of the look: later ones have greater ones.
    let turn: UInt64
    let account: Account?
}
