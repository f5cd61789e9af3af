import CofferContainer
import CofferLinux
import CofferSQLite
import CofferUbiquity
import Synchronization
import TestSupport
import Testing

struct AccountsTests {
    /// The accounts of a data folder, two folders for them, and what was told.
    private struct World {
        let data: Folder
        let home: String
        let work: String
        let changes = Changes()

        final class Changes: Sendable {
            private let list = Mutex<[Accounts.Change]>([])
            func add(_ change: Accounts.Change) { list.withLock { $0.append(change) } }
            /// What was told since this was last asked.
            func take() -> [Accounts.Change] {
                list.withLock { list in
                    defer { list = [] }
                    return list
                }
            }
        }

        /// The accounts as a service that starts now has them.
        func accounts() -> Accounts {
            Accounts(in: data, now: { 100 }, changed: { [changes] in changes.add($0) })
        }
    }

    private func withWorld(_ body: (World) throws -> Void) throws {
        try withTemporaryFolder { path in
            let root = try Folder(at: path)
            for name in ["data", "home", "work"] { _ = try root.makeFolders(name) }
            try body(
                World(data: try root.folder("data"), home: "\(path)/home", work: "\(path)/work"))
        }
    }

    @Test func `no account is signed in at first, and asking makes no file`() throws {
        try withWorld { (world) throws in
            let accounts = world.accounts()
            #expect(try accounts.current() == nil)
            #expect(try accounts.identityToken(for: "org.example.Notes") == nil)
            #expect(throws: AccountError.signedOut) { () throws in try accounts.signOut() }
            #expect(try world.data.names() == [])
        }
    }

    @Test func `a sign-in outlives a restart, and the folder has its marker`() throws {
        try withWorld { (world) throws in
            let account = try world.accounts().signIn(as: "home", at: world.home)
            #expect(try ContainerRoot(at: world.home).markers() == [account.root])
            let name = try #require(try Folder(at: world.home).names().first)
            let bytes = try Folder(at: world.home).read(name, limit: 1_000)
            let object = try ContainerObject(reading: bytes, named: #require(ObjectName(name)))
            #expect(try MarkerContent(reading: object.content).time == 978_307_300_000_000)
            #expect(world.changes.take() == [.signedIn(account, isNew: true)])
            #expect(try world.accounts().current() == account)
            #expect(account.signedIn == 100)
        }
    }

    @Test func `a token is the same after a restart, signing out and in, and a move`() throws {
        try withWorld { (world) throws in
            _ = try world.accounts().signIn(as: "home", at: world.home)
            let token = try world.accounts().identityToken(for: "org.example.Notes")
            #expect(token?.bytes.count == 32)
            try world.accounts().signOut()
            #expect(try world.accounts().identityToken(for: "org.example.Notes") == nil)
            let moved = world.home + " moved"
            try Folder(at: world.home + "/..").rename("home", to: "home moved", replacing: false)
            let account = try world.accounts().signIn(as: "home", at: moved)
            #expect(account.path == moved)
            #expect(try world.accounts().identityToken(for: "org.example.Notes") == token)
            #expect(try world.accounts().all().count == 1)
        }
    }

    @Test func `tokens differ for applications, accounts and machines`() throws {
        try withWorld { (world) throws in
            var tokens: Set<IdentityToken> = []
            for path in [world.home, world.work] {
                let accounts = world.accounts()
                _ = try accounts.signIn(as: path, at: path)
                for application in ["org.example.Notes", "org.example.Tasks"] {
                    tokens.insert(try #require(try accounts.identityToken(for: application)))
                }
            }
            try withWorld { (other) throws in
                let accounts = other.accounts()
                _ = try accounts.signIn(as: "home", at: world.home)
                tokens.insert(try #require(try accounts.identityToken(for: "org.example.Notes")))
            }
            #expect(tokens.count == 5)
        }
    }

    @Test func `signing in elsewhere signs out of the other account`() throws {
        try withWorld { (world) throws in
            let accounts = world.accounts()
            let home = try accounts.signIn(as: "home", at: world.home)
            _ = world.changes.take()
            let work = try accounts.signIn(as: "work", at: world.work)
            #expect(world.changes.take() == [.signedOut(home.signedOut), .signedIn(work, isNew: true)])
            #expect(try accounts.all().map { $0.signedIn != nil } == [false, true])
            let again = try accounts.signIn(as: "home", at: world.home)
            #expect(again.number == home.number)
            #expect(world.changes.take() == [.signedOut(work.signedOut), .signedIn(again, isNew: false)])
        }
    }

    @Test func `signing in again as before changes nothing and tells nobody`() throws {
        try withWorld { (world) throws in
            let accounts = world.accounts()
            let account = try accounts.signIn(as: "home", at: world.home)
            _ = world.changes.take()
            #expect(try accounts.signIn(as: "home", at: world.home + "/") == account)
            #expect(world.changes.take() == [])
            #expect(try Folder(at: world.home).names().count == 1)
        }
    }

    @Test func `of a folder that two devices began to use at once, each keeps its marker`() throws {
        try withWorld { (world) throws in
            let account = try world.accounts().signIn(as: "home", at: world.home)
            let smaller = ContainerID(high: 0, low: 1)
            try ContainerRoot(at: world.home).put(smaller, at: 0)
            #expect(try world.accounts().signIn(as: "home", at: world.home) == account)
            try withWorld { (other) throws in
                #expect(try other.accounts().signIn(as: "home", at: world.home).root == smaller)
            }
        }
    }

    @Test func `what cannot be signed in to is refused by name, and nothing changes`() throws {
        try withWorld { (world) throws in
            let accounts = world.accounts()
            let home = try accounts.signIn(as: "home", at: world.home)
            let unfit = ["", "a\u{7}b", "a\u{202E}b", "a\nb", String(repeating: "n", count: 256)]
            for name in unfit {
                #expect { () throws in
                    try accounts.signIn(as: name, at: world.work)
                } throws: {
                    if case AccountError.unfitName(name, _) = $0 { true } else { false }
                }
            }
            for path in [
                "home", "", "/a/../b", "/a/../\u{301}b", "/\0", "/" + String(repeating: "a", count: 4_095),
            ] {
                #expect { () throws in
                    try accounts.signIn(as: "x", at: path)
                } throws: {
                    if case AccountError.unfitRoot(path, _) = $0 { true } else { false }
                }
            }
            #expect(throws: AccountError.nameTaken("home", path: world.home)) { () throws in
                try accounts.signIn(as: "home", at: world.work)
            }
            #expect { () throws in
                try accounts.signIn(as: "gone", at: world.home + "/gone")
            } throws: {
                if case AccountError.carrier(.away) = $0 { true } else { false }
            }
            #expect(try accounts.current() == home)
        }
    }

    @Test func `a folder without the marker of its account is told of, and gets no other`() throws {
        try withWorld { (world) throws in
            let accounts = world.accounts()
            let account = try accounts.signIn(as: "home", at: world.home)
            let folder = try Folder(at: world.home)
            let name = try #require(try folder.names().first)
            try folder.rename(name, to: "away", replacing: false)
            for called in ["home", "another"] {
                #expect(throws: AccountError.markerMissing("home", path: world.home)) { () throws in
                    try accounts.signIn(as: called, at: world.home)
                }
            }
            #expect(try folder.names() == ["away"])
            try folder.rename("away", to: name, replacing: false)
            #expect(try accounts.signIn(as: "home", at: world.home) == account)
        }
    }

    @Test func `of markers of several accounts that counts whose folder it was, or whose name is given`()
        throws
    {
        try withWorld { (world) throws in
            let accounts = world.accounts()
            let home = try accounts.signIn(as: "home", at: world.home)
            let work = try accounts.signIn(as: "work", at: world.work)
            try ContainerRoot(at: world.work).put(home.root, at: 0)
            #expect(try accounts.signIn(as: "office", at: world.work).number == work.number)
            let copy = world.home + " copy"
            _ = try Folder.make(at: copy)
            for root in [home.root, work.root] { try ContainerRoot(at: copy).put(root, at: 0) }
            #expect(throws: AccountError.ambiguousRoot(copy, names: ["home", "office"])) { () throws in
                try accounts.signIn(as: "new", at: copy)
            }
            #expect(try accounts.signIn(as: "home", at: copy).number == home.number)
        }
    }

    @Test func `whoever signs in while another one does is refused, and whoever looks is answered`() throws {
        try withWorld { (world) throws in
            let inner = Mutex<[AccountError?]>([])
            let later = Mutex<Accounts?>(nil)
            let accounts = Accounts(
                in: world.data, now: { 100 },
                changed: { _ in
                    guard let accounts = later.withLock({ $0 }) else { return }
                    var refusal: AccountError?
                    do throws(AccountError) { try accounts.signOut() } catch { refusal = error }
                    inner.withLock { $0.append(refusal) }
                    #expect((try? accounts.current()) != nil)
                })
            later.withLock { $0 = accounts }
            _ = try accounts.signIn(as: "home", at: world.home)
            #expect(inner.withLock { $0 } == [.underWay])
        }
    }

    @Test(arguments: [
        "DELETE FROM SECRET", "UPDATE SECRET SET IDENTITY_KEY = x'00'", "PRAGMA user_version = -1",
    ])
    func `a damaged list is told of, and gives no token`(damage: String) throws {
        try withWorld { (world) throws in
            _ = try world.accounts().signIn(as: "home", at: world.home)
            do {
                let connection = try SQLiteConnection(path: world.data.path + "/accounts.db")
                try connection.execute(damage)
            }
            #expect(throws: AccountError.damaged(path: world.data.path(of: "accounts.db"))) { () throws in
                try world.accounts().identityToken(for: "org.example.Notes")
            }
        }
    }

    @Test func `a list of a later version is left as it is, and said so`() throws {
        try withWorld { (world) throws in
            _ = try world.accounts().signIn(as: "home", at: world.home)
            do {
                let connection = try SQLiteConnection(path: world.data.path + "/accounts.db")
                try connection.execute("DROP TABLE SECRET; PRAGMA user_version = 3")
            }
            let path = world.data.path(of: "accounts.db")
            #expect(throws: AccountError.newer(path: path, version: 3)) { () throws in
                try world.accounts().all()
            }
        }
    }

    @Test func `the list is for its user alone to read`() throws {
        try withWorld { (world) throws in
            _ = try world.accounts().signIn(as: "home", at: world.home)
            #expect(try world.data.facts(of: "accounts.db")?.permissions == 0o600)
        }
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "mounting is not permitted here"))
    func `what can only be read is read, and a sign-in is told why it fails`() throws {
        try withWorld { world in
            try SmallDisk.lend(at: world.data.path, kilobytes: 1_024) {
                // What is mounted there is another folder.
                let data = try Folder(at: world.data.path)
                let account: Account
                do {
                    let accounts = Accounts(in: data, now: { 100 }, changed: { _ in })
                    account = try accounts.signIn(as: "home", at: world.home)
                }
                try SmallDisk.setReadOnly(true, at: world.data.path)
                let accounts = Accounts(in: data, now: { 100 }, changed: { _ in })
                #expect(try accounts.current() == account)
                #expect(try accounts.stores() == [])
                let refused = #expect(throws: AccountError.self) {
                    try accounts.signIn(as: "work", at: world.work)
                }
                guard case .database = refused else { throw NotRefused(error: refused) }
            }
        }
    }

    private struct NotRefused: Error { let error: AccountError? }
}
