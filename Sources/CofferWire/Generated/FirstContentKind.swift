// Made by Protos/generate: do not edit.

/// What is known of an account's content on a machine that is new to it.
///
/// `coffer.v1.FirstContent`.
package enum FirstContentKind: UInt32, Sendable, CaseIterable, WireChoice {
    /// The container cannot be reached, or files may still be on their way.
    case unknown = 1
    /// There is nothing, and nothing is on its way.
    case empty = 2
    /// It is being read.
    case importing = 3
    /// There is some here.
    case present = 4
}
