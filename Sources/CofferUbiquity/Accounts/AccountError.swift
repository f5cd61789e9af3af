package import CofferContainer
package import CofferSQLite

/// Why an account could not be signed in or out, or asked for; nothing has changed then.
package enum AccountError: Error, Equatable {
    /// No account can be called that.
    case unfitName(String, reason: String)
    /// The path is not that of a folder as it has to be named.
    case unfitRoot(String, reason: String)
    /// Another account, with another folder, is called so.
    case nameTaken(String, path: String)
    /// Markers of several accounts lie in the folder, and none of them had it or has the name.
    case ambiguousRoot(String, names: [String])
    /// An account has this folder, in which its marker is not: it may not have come yet.
    case markerMissing(String, path: String)
    /// Another sign-in or sign-out is under way.
    case underWay
    /// More accounts are known than anybody has.
    case tooMany(limit: Int)
    /// No account is signed in.
    case signedOut
    /// The account's folder cannot be used.
    case carrier(CarrierError)
    /// The accounts' own file cannot be opened.
    case file(path: String, reason: String)
    /// The accounts' own file cannot be read or written.
    case database(SQLiteError)
    /// The accounts' own file is not as it was made.
    case damaged(path: String)
    /// The accounts' own file is of a later version of Coffer.
    case newer(path: String, version: Int)
}

extension AccountError {
    /// Whether the list of accounts can be used again in a while.
    package var isTransient: Bool { if case .database(let error) = self { error.isTransient } else { false } }
}

extension AccountError: CustomStringConvertible {
    /// What is wrong, where, and what to do.
    package var description: String {
        switch self {
        case .unfitName(let name, let reason): "An account cannot be called '\(name)': \(reason)."
        case .unfitRoot(let path, let reason): "An account cannot have its data in '\(path)': \(reason)."
        case .nameTaken(let name, let path):
            "The account '\(name)' has another folder, '\(path)': choose another name for this one."
        case .ambiguousRoot(let path, let names):
            "In '\(path)' are markers of several accounts (\(names.joined(separator: ", "))): sign in by the name of one."
        case .markerMissing(let name, let path):
            "The marker of '\(name)' is not in '\(path)': mount the disk, or wait until its files have come; a new account takes another folder."
        case .underWay: "An account is signing in or out at the moment: try again."
        case .damaged(let path): "The list of accounts, '\(path)', is damaged: put a backup in its place."
        case .tooMany(let limit): "There are \(limit) accounts already, which are as many as may be."
        case .signedOut: "No account is signed in: sign in first."
        case .carrier(let error): "\(error)."
        case .file(let path, let reason): "The list of accounts, '\(path)', cannot be opened: \(reason)."
        case .database(let error): "The list of accounts cannot be used: \(error)."
        case .newer(let path, let version):
            "The list of accounts, '\(path)', is of version \(version) of its form: update Coffer."
        }
    }
}
