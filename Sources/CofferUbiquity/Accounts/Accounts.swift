internal import CofferContainer
package import CofferLinux
internal import CofferModel
internal import Synchronization

/// The accounts of one user: which of them is signed in, and what applications know it by.
///
/// Shared. At most one account is signed in at a time: what is saved while none is belongs to this
/// machine alone.
package final class Accounts: Sendable {
    /// A sign-in or sign-out that happened.
    package enum Change: Equatable, Sendable {
        /// A user signed in, or moved the folder or gave the account another name; `isNew` if it was not
        /// known before.
        case signedIn(Account, isNew: Bool)
        /// The account is not signed in any more.
        case signedOut(Account)
    }

    private let folder: Folder
    private let now: @Sendable () -> Double
    private let changed: @Sendable (Change) -> Void
    /// Opened when it is first needed, so that services without accounts have no such file.
    private let database = Mutex<AccountDatabase?>(nil)
    /// Whether a sign-in or sign-out is under way, for which folders are looked into that may not answer
    /// for long.
    private let isChanging = Mutex(false)

    /// The accounts that a data folder keeps.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - now: Seconds since 2001-01-01 UTC.
    ///   - changed: Told of each change, in order, before the caller that made it has an answer; it asks
    ///     nothing of the accounts.
    package init(
        in folder: Folder, now: @escaping @Sendable () -> Double,
        changed: @escaping @Sendable (Change) -> Void
    ) {
        (self.folder, self.now, self.changed) = (folder, now, changed)
    }
}

extension Accounts {
    /// All accounts that were ever signed in, in the order in which they came to be known.
    package func all() throws(AccountError) -> [Account] {
        try database.withLock { database throws(AccountError) in
            if try !isThere(database) { return [] }
            return try open(&database).accounts()
        }
    }

    /// The account that is signed in; `nil` if none is.
    package func current() throws(AccountError) -> Account? { try all().first { $0.signedIn != nil } }

    /// What an application knows the signed-in account by; `nil` if none is signed in.
    package func identityToken(for application: String) throws(AccountError) -> IdentityToken? {
        try database.withLock { database throws(AccountError) in
            if try !isThere(database) { return nil }
            let database = try open(&database)
            return try database.accounts().first { $0.signedIn != nil }.map {
                IdentityToken(of: $0.root, for: application, key: database.identityKey)
            }
        }
    }

    /// Signs in, and out of any other account.
    ///
    /// The marker in the folder says which account it is; one is put there if there is none. So the
    /// folder may have moved. Signing in again as before changes nothing.
    ///
    /// - Parameters:
    ///   - name: What the account is called here.
    ///   - path: The absolute path of its folder.
    /// - Returns: The account.
    /// - Throws: `AccountError`; then the sign-in of before stands. A marker that was put into the folder may
    ///   stay there, and is taken up the next time.
    package func signIn(as name: String, at path: String) throws(AccountError) -> Account {
        try AccountName.check(name)
        let path = try AccountPath.checked(path)
        return try exclusively { () throws(AccountError) in
            let known = try all()
            let folder = ContainerRoot(at: path)
            let markers = try Self.reaching { () throws(CarrierError) in try folder.markers() }
            let choice = AccountChoice(of: known, markers: markers, name: name, path: path)
            let former = try choice.account()
            if former == nil, known.count >= Limits.accounts { throw .tooMany(limit: Limits.accounts) }
            if let former, former.signedIn != nil, former.isCalled(name, at: path) { return former }
            // Of several markers that are not known any will do, if only it stays the same.
            let (root, now) = (former?.root ?? markers.min() ?? .random(), now())
            if markers.isEmpty {
                try Self.reaching { () throws(CarrierError) in try folder.put(root, at: now) }
            }
            let account = try database.withLock { database throws(AccountError) in
                try open(&database).signIn(
                    root: root, name: name, path: path, now: former?.signedIn ?? now)
            }
            if let other = known.first(where: { $0.signedIn != nil && $0.root != root }) {
                changed(.signedOut(other.signedOut))
            }
            changed(.signedIn(account, isNew: former == nil))
            return account
        }
    }

    /// Signs out of the account that is signed in.
    ///
    /// - Returns: The account.
    /// - Throws: `AccountError.signedOut` if no account is signed in.
    @discardableResult
    package func signOut() throws(AccountError) -> Account {
        try exclusively { () throws(AccountError) in
            guard let account = try current() else { throw .signedOut }
            try database.withLock { database throws(AccountError) in try open(&database).signOut() }
            changed(.signedOut(account.signedOut))
            return account.signedOut
        }
    }
}

extension Accounts {
    /// Does what changes accounts, one at a time; a caller that comes meanwhile is refused, and holds no
    /// thread.
    private func exclusively<Result>(
        _ body: () throws(AccountError) -> Result
    ) throws(AccountError) -> Result {
        let isFree = isChanging.withLock { isChanging in
            defer { isChanging = true }
            return !isChanging
        }
        guard isFree else { throw .underWay }
        defer { isChanging.withLock { $0 = false } }
        return try body()
    }

    /// Reads the database; gives `nothing` if there is none.
    func reading<Result: Sendable>(
        _ nothing: Result, _ body: (AccountDatabase) throws(AccountError) -> Result
    ) throws(AccountError) -> Result {
        try database.withLock { database throws(AccountError) in
            if try !isThere(database) { return nothing }
            return try body(try open(&database))
        }
    }

    /// Does something with the database, which is made if there is none.
    func writing<Result: Sendable>(
        _ body: (AccountDatabase) throws(AccountError) -> Result
    ) throws(AccountError) -> Result {
        try database.withLock { database throws(AccountError) in try body(try open(&database)) }
    }

    private func isThere(_ database: AccountDatabase?) throws(AccountError) -> Bool {
        if database != nil { return true }
        do throws(LinuxError) {
            return try folder.exists(AccountDatabase.fileName)
        } catch {
            throw .file(path: folder.path(of: AccountDatabase.fileName), reason: error.reason)
        }
    }

    private func open(_ database: inout AccountDatabase?) throws(AccountError) -> AccountDatabase {
        if let database { return database }
        let opened = try AccountDatabase(in: folder)
        database = opened
        return opened
    }

    private static func reaching<Result>(
        _ body: () throws(CarrierError) -> Result
    ) throws(AccountError) -> Result {
        do throws(CarrierError) { return try body() } catch { throw .carrier(error) }
    }
}
