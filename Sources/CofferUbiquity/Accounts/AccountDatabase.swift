internal import CofferContainer
internal import CofferFormats
internal import CofferLinux
internal import CofferSQLite

/// The accounts that are known here, and which of them is signed in: the file `accounts.db` of a data folder.
///
/// Confined: one thread at a time. Each change is one transaction, which is on the disk once it is done.
struct AccountDatabase {
    static let fileName = "accounts.db"
    private static let version = 2
    /// How long another program may read the file, as one that copies it.
    private static let busyMilliseconds = 2_000
    private static let schema = """
        CREATE TABLE ACCOUNT(
            NUMBER INTEGER PRIMARY KEY AUTOINCREMENT, ROOT_HIGH INTEGER NOT NULL, ROOT_LOW INTEGER NOT NULL,
            NAME TEXT NOT NULL UNIQUE, PATH TEXT NOT NULL, SIGNED_IN REAL,
            UNIQUE(ROOT_HIGH, ROOT_LOW)) STRICT;
        CREATE UNIQUE INDEX ONE_IS_SIGNED_IN ON ACCOUNT((SIGNED_IN IS NOT NULL)) WHERE SIGNED_IN IS NOT NULL;
        CREATE TABLE SECRET(IDENTITY_KEY BLOB NOT NULL) STRICT;
        """
    private static let versionMark = "\nPRAGMA user_version = \(version);"
    private static let columns = "SELECT NUMBER, ROOT_HIGH, ROOT_LOW, NAME, PATH, SIGNED_IN FROM ACCOUNT"

    let connection: SQLiteConnection
    /// What identity tokens are made with; it never leaves this machine.
    let identityKey: [UInt8]

    /// The accounts of a data folder; the file is made if it is missing.
    init(in folder: Folder) throws(AccountError) {
        let path = folder.path(of: Self.fileName)
        let (place, mode) = try Self.place(in: folder)
        let found: (version: Int, key: [UInt8])
        do throws(SQLiteError) {
            let connection = try SQLiteConnection(
                path: place, name: path, keeping: folder, mode: mode, vfs: SQLiteVFS())
            try connection.setBusyTimeout(milliseconds: Self.busyMilliseconds)
            if mode == .readOnly {
                found = try Self.read(connection)
            } else {
                _ = try connection.pragma("synchronous", "FULL")
                found = try Self.inTransaction(on: connection) { () throws(SQLiteError) in
                    try Self.prepare(connection)
                }
            }
            self.connection = connection
        } catch {
            throw .database(error)
        }
        guard found.version <= Self.version else { throw .newer(path: path, version: found.version) }
        guard found.version >= 0, found.key.count == KeyedHash.keyByteCount else {
            throw .damaged(path: path)
        }
        identityKey = found.key
    }

    /// Where the file is, which is made if it is missing, and whether it can only be read.
    private static func place(
        in folder: Folder
    ) throws(AccountError) -> (path: String, mode: SQLiteConnection.Mode) {
        do throws(LinuxError) {
            do throws(LinuxError) {
                // SQLite would let others read it.
                _ = try folder.openFile(fileName, [.readWrite, .create])
            } catch {
                guard error.isWriteRefused, try folder.exists(fileName) else { throw error }
                return (try folder.procPath(fileName), .readOnly)
            }
            return (try folder.procPath(fileName), .readWriteCreate)
        } catch {
            throw .file(path: folder.path(of: fileName), reason: error.reason)
        }
    }

    /// Makes or extends the tables if they are missing.
    private static func prepare(
        _ connection: SQLiteConnection
    ) throws(SQLiteError) -> (version: Int, key: [UInt8]) {
        let version = try connection.pragma("user_version").flatMap { Int($0) } ?? 0
        if version == 0 { try make(on: connection) }
        if version == 1 { try connection.execute(storeSchema + versionMark) }
        if version <= Self.version { try connection.execute(locationSchema) }
        return (version, version > Self.version ? [] : try key(on: connection))
    }

    /// What is known of a file that cannot be extended: one of an earlier version is damaged for that.
    private static func read(
        _ connection: SQLiteConnection
    ) throws(SQLiteError) -> (version: Int, key: [UInt8]) {
        let version = try connection.pragma("user_version").flatMap { Int($0) } ?? 0
        return (version, version == Self.version ? try key(on: connection) : [])
    }

    private static func key(on connection: SQLiteConnection) throws(SQLiteError) -> [UInt8] {
        let secret = try connection.prepare("SELECT IDENTITY_KEY FROM SECRET")
        return try secret.step() ? secret.blob(0) : []
    }

    private static func make(on connection: SQLiteConnection) throws(SQLiteError) {
        try connection.execute(schema + "\n" + storeSchema + versionMark)
        let secret = try connection.prepare("INSERT INTO SECRET VALUES(?1)")
        try secret.bind(Randomness.bytes(KeyedHash.keyByteCount), at: 1)
        try secret.run()
    }
}

extension AccountDatabase {
    /// All accounts, in the order in which they came to be known.
    func accounts() throws(AccountError) -> [Account] {
        try reading { () throws(SQLiteError) in
            let statement = try connection.cached("\(Self.columns) ORDER BY NUMBER")
            defer { statement.reset() }
            var accounts: [Account] = []
            while try statement.step() { accounts.append(Self.account(in: statement)) }
            return accounts
        }
    }

    /// Notes that the account of `root` is signed in, and no other; adds it if it is not known.
    ///
    /// - Returns: The account.
    func signIn(
        root: ContainerID, name: String, path: String, now: Double
    ) throws(AccountError) -> Account {
        try writing { () throws(SQLiteError) in
            try Self.run("UPDATE ACCOUNT SET SIGNED_IN = NULL", on: connection)
            let statement = try connection.cached(
                """
                INSERT INTO ACCOUNT(ROOT_HIGH, ROOT_LOW, NAME, PATH, SIGNED_IN) VALUES(?1, ?2, ?3, ?4, ?5)
                ON CONFLICT(ROOT_HIGH, ROOT_LOW) DO UPDATE SET NAME = ?3, PATH = ?4, SIGNED_IN = ?5
                RETURNING NUMBER
                """)
            defer { statement.reset() }
            try statement.bind(Int64(bitPattern: root.high), at: 1)
            try statement.bind(Int64(bitPattern: root.low), at: 2)
            try statement.bind(name, at: 3)
            try statement.bind(path, at: 4)
            try statement.bind(now, at: 5)
            let number = try statement.step() ? statement.int64(0) : 0
            return Account(number: number, root: root, name: name, path: path, signedIn: now)
        }
    }

    /// Notes that no account is signed in.
    func signOut() throws(AccountError) {
        try writing { () throws(SQLiteError) in
            try Self.run("UPDATE ACCOUNT SET SIGNED_IN = NULL", on: connection)
        }
    }

    private static func run(_ sql: String, on connection: SQLiteConnection) throws(SQLiteError) {
        let statement = try connection.cached(sql)
        defer { statement.reset() }
        try statement.run()
    }

    private static func account(in statement: SQLiteStatement) -> Account {
        Account(
            number: statement.int64(0),
            root: ContainerID(
                high: UInt64(bitPattern: statement.int64(1)), low: UInt64(bitPattern: statement.int64(2))),
            name: statement.text(3), path: statement.text(4),
            signedIn: statement.isNull(5) ? nil : statement.double(5))
    }
}

extension AccountDatabase {
    func reading<Result>(_ body: () throws(SQLiteError) -> Result) throws(AccountError) -> Result {
        do throws(SQLiteError) { return try body() } catch { throw .database(error) }
    }

    func writing<Result>(_ body: () throws(SQLiteError) -> Result) throws(AccountError) -> Result {
        try reading { () throws(SQLiteError) in try Self.inTransaction(on: connection, body) }
    }

    private static func inTransaction<Result>(
        on connection: SQLiteConnection, _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try connection.begin(.immediate)
        do throws(SQLiteError) {
            let result = try body()
            try connection.commit()
            return result
        } catch {
            // The first error is the one to tell; a full disk may have ended the transaction already.
            if !connection.isAutocommit { try? connection.rollback() }
            throw error
        }
    }
}
