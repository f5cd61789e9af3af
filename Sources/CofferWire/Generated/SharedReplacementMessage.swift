// Made by Protos/generate: do not edit.

/// What becomes of the content that a store shares with other machines when another file takes its place.
///
/// `coffer.v1.SharedReplacement`.
package enum SharedReplacementMessage: UInt32, Sendable, CaseIterable, WireChoice {
    /// The file takes the place, and gets all that came since: the content stays what it is.
    case catchUp = 1
    /// What the file holds becomes the content on all machines: its differences are edits of now.
    case makeContent = 2
}
