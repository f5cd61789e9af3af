// Made by Protos/generate: do not edit.

/// What a push tells.
///
/// `coffer.v1.Push.Kind`.
package enum PushKind: UInt32, Sendable, CaseIterable, WireChoice {
    /// A client saved `transaction`.
    case didSave = 1
    /// `transaction` came from another machine.
    case didImport = 2
    /// Reserved: over a channel it is the call StoresWillChange.
    case storesWillChange = 3
    /// The store has another file, or is gone: the handle is good for nothing.
    case storesDidChange = 4
    /// Reserved for migrations: objects have other ids.
    case idsChanged = 5
    /// An account was signed in to or out of: ask for IdentityToken.
    ///
    /// Of no store: the handle is 0.
    case identityDidChange = 6
    /// Nothing to tell: the client has everything up to `number`.
    case bookmark = 7
    /// Pushes were dropped: fetch history since `previous`.
    case historySince = 8
    /// The file was changed without history: read everything again.
    case reload = 9
    /// Reserved: how far long work has come.
    case progress = 10
    /// A shared store is further: ask for SyncStatus.
    case syncDidChange = 11
}
