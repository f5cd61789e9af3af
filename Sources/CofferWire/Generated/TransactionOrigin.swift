// Made by Protos/generate: do not edit.

/// Why a transaction was written.
///
/// `coffer.v1.Origin`.
package enum TransactionOrigin: UInt32, Sendable, CaseIterable, WireChoice {
    /// A client saved.
    case save = 0
    /// Changes of another machine came in.
    case `import` = 1
    /// The store got another version of its model.
    case migration = 2
    /// A foreign writer changed the file without history.
    case reload = 3
}
