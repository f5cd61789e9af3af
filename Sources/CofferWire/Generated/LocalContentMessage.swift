// Made by Protos/generate: do not edit.

/// What becomes of what was saved while no account was signed in to, when one is.
///
/// `coffer.v1.LocalContent`.
package enum LocalContentMessage: UInt32, Sendable, CaseIterable, WireChoice {
    /// It stays apart, and is there again when no account is signed in to.
    case keep = 1
    /// It is joined into the account's content.
    case merge = 2
    /// It is put aside, and deleted after 30 days.
    case discard = 3
}
