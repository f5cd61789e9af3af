// Made by Protos/generate: do not edit.

/// What happened to an object.
///
/// `coffer.v1.ChangeKind`.
package enum ChangeKind: UInt32, Sendable, CaseIterable, WireChoice {
    /// It is new.
    case insert = 0
    /// Some of its properties changed.
    case update = 1
    /// It is gone.
    case delete = 2
}
