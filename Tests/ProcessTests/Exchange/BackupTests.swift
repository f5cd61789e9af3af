import Coffer
import CofferCoordination
import CofferDBus
import CofferLinux
import CofferSQLite
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

@Suite(.serialized) struct `Copies of stores that the service makes` {
    private func connection(_ service: ServiceUnderTest) throws -> ServiceConnection {
        try ServiceConnection(application: "org.coffer.Tests", bus: .explicit(service.bus.address))
    }

    /// How many rows a table of a copy has, read with SQLite alone.
    private func rowCount(of table: String, at path: String) throws -> Int64 {
        let connection = try SQLiteConnection(path: path, mode: .readOnly)
        #expect(try connection.integrityCheck() == [])
        let statement = try connection.prepare("SELECT count(*) FROM \(table)")
        return try statement.step() ? statement.int64(0) : -1
    }

    @Test
    func `a store is copied while clients write, and keeps its identity`() throws {
        try withService { service in
            try withTemporaryFolder { path in
                let client = try ClientProcess(service)
                for number in 1...5 { try client.insert(number) }
                let first = try connection(service).backUpStore(named: "Log", toFileAt: "\(path)/Log.copy")
                #expect(first.number == 5)
                #expect(try rowCount(of: "ZENTRY", at: "\(path)/Log.copy") == 5)
                let facts = try #require(try Folder(at: path).facts(of: "Log.copy"))
                #expect(facts.byteCount == Int(first.byteCount) && facts.permissions == 0o600)
                try client.insert(6)
                let again = #expect(throws: CofferError.self) {
                    try connection(service).backUpStore(named: "Log", toFileAt: "\(path)/Log.copy")
                }
                guard case .refused("AlreadyExists", "already_exists", _, "\(path)/Log.copy")? = again else {
                    return #expect(Bool(false), "\(again as Any)")
                }
                let second = try connection(service).backUpStore(
                    named: "Log", toFileAt: "\(path)/Log.copy", replacing: true)
                #expect(second.number == 6 && second.uuid == first.uuid)
                #expect(try service.counter("IdleWork") == 2)
                // What is after the copy goes again, and the clients see that.
                try client.insert(7)
                try connection(service).replaceStore(named: "Log", withFileAt: "\(path)/Log.copy")
                try client.ask("waitForEvents", ["event": "storesDidChange"])
                #expect(try client.count() == 6)
                #expect(try client.end() == .code(0))
                #expect(try Folder(at: path).names() == ["Log.copy"])
            }
        }
    }

    @Test
    func `the service puts no copy among its stores, nor under a name of what belongs to one`() throws {
        try withService { service in
            let client = try service.channel()
            let store = try client.open()
            let inner = try Folder(at: service.data).makeFolders("org.coffer.Other/Default")
            try inner.replace("Z.sqlite-wal", with: [1])
            for (folder, name) in [(inner, "Z.sqlite"), (inner, "Z.sqlite-wal")] {
                let request = BackupStoreRequestMessage(
                    store: store.handle, fileName: name, place: folder.path, replaces: true)
                let call = try client.start(
                    .backupStore, request.packed(), descriptors: [folder.descriptor])
                let refusal = #expect(throws: Refusal.self) { try client.reply(to: call) }
                #expect(refusal?.reason == "unfit_target", "\(refusal as Any)")
            }
            #expect(try inner.read("Z.sqlite-wal", limit: 10) == [1])
            #expect(try inner.names() == ["Z.sqlite-wal"])
        }
    }

    @Test
    func `calls beside a copy are answered, and a copy that is taken back ends`() throws {
        try withService { service in
            try withTemporaryFolder { path in
                let target = try Folder(at: path)
                let client = try service.channel()
                let store = try client.open()
                let title = String(repeating: "x", count: 1 << 20)
                for _ in 0..<64 { try client.insert([title], into: store) }
                func start(_ name: String) throws -> UInt64 {
                    let request = BackupStoreRequestMessage(
                        store: store.handle, fileName: name, place: path, replaces: true)
                    return try client.start(
                        .backupStore, request.packed(), descriptors: [target.descriptor])
                }
                let copy = try start("Whole.copy")
                for _ in 0..<200 { #expect(try client.call(.listStores, bytes: []).isEmpty == false) }
                let reply = try BackupStoreReplyMessage(packed: client.reply(to: copy))
                #expect(reply.number == 64)
                let call = try start("Half.copy")
                try client.send(FrameHeader(kind: .cancel, callID: call).bytes)
                let refusal = #expect(throws: Refusal.self) { try client.reply(to: call) }
                #expect(refusal?.code == .cancelled, "\(refusal as Any)")
                #expect(try target.names() == ["Whole.copy"])
            }
        }
    }

    @Test(arguments: [CrashPoint.duringBackup, .afterBackup], [false, true])
    func `a service that is killed leaves no half copy`(point: CrashPoint, replacing: Bool) throws {
        try withStoppableService { service, place in
            try withTemporaryFolder { path in
                let target = try Folder(at: path)
                if replacing { try target.replace("Log.copy", with: Array("what was there".utf8)) }
                let client = try ClientProcess(service)
                for number in 1...3 { try client.insert(number) }
                let channel = try service.channel()
                let opened: OpenStoreReplyMessage = try channel.call(
                    .openStore, OpenStoreRequestMessage(name: StoreNameMessage(name: "Log"), modelID: []))
                guard case .opened(let store) = opened else { return #expect(Bool(false), "\(opened)") }
                try place.arm(point)
                let request = BackupStoreRequestMessage(
                    store: store.store, fileName: "Log.copy", place: path, replaces: replacing)
                _ = try channel.start(.backupStore, request.packed(), descriptors: [target.descriptor])
                try place.waitUntilReached(point)
                try service.kill9()
                let present = try target.facts(of: "Log.copy").map { _ in
                    String(decoding: try target.read("Log.copy", limit: 1 << 20), as: UTF8.self)
                }
                #expect(present == (replacing ? "what was there" : nil))
                // The next copy takes over what the last one left.
                let backup = try connection(service).backUpStore(
                    named: "Log", toFileAt: "\(path)/Log.copy", replacing: replacing)
                #expect(backup.number == 3)
                #expect(try rowCount(of: "ZENTRY", at: "\(path)/Log.copy") == 3)
                #expect(try target.names() == ["Log.copy"])
                #expect(try client.insert(4) == 4)
                #expect(try client.end() == .code(0))
            }
        }
    }

    private func withSmallDisk(_ body: (ServiceUnderTest, String) throws -> Void) throws {
        try withService { service in
            try withTemporaryFolder { path in
                try SmallDisk.lend(at: path, kilobytes: 64) { try body(service, path) }
            }
        }
    }

    @Test(
        .enabled(if: SmallDisk.isPermitted, "mounting is not permitted here"))
    func `a full disk is told, and has no half copy`() throws {
        try withSmallDisk { service, path in
            let client = try ClientProcess(service)
            try client.insert(1, body: String(repeating: "x", count: 200_000))
            let error = #expect(throws: CofferError.self) {
                try connection(service).backUpStore(named: "Log", toFileAt: "\(path)/Log.copy")
            }
            guard case .refused("ResourceExhausted", "disk_full", _, "\(path)/Log.copy")? = error else {
                return #expect(Bool(false), "\(error as Any)")
            }
            #expect(try Folder(at: path).names() == [])
            #expect(try client.insert(2) == 2, "the store itself has space")
            #expect(try client.end() == .code(0))
        }
    }

    @Test
    func `over the system's bus the copy comes as a file without a name`() throws {
        try withService(isSystem: true) { service in
            try withTemporaryFolder { path in
                let channel = try service.channel()
                let store = try channel.open()
                try channel.insert(["Milk", "Tea"], into: store)
                let backup = try connection(service).backUpStore(
                    named: "Notes", toFileAt: "\(path)/Notes.copy")
                #expect(backup.number == 1)
                #expect(try rowCount(of: "ZNOTE", at: "\(path)/Notes.copy") == 2)
                #expect(try Folder(at: path).names() == ["Notes.copy"])
                let again = #expect(throws: CofferError.self) {
                    try connection(service).backUpStore(named: "Notes", toFileAt: "\(path)/Notes.copy")
                }
                guard case .refused("AlreadyExists", _, _, _)? = again else {
                    return #expect(Bool(false), "\(again as Any)")
                }
                let own = try Folder(at: "\(service.data)/\(CurrentProcess.userID)/org.coffer.Tests/Default")
                #expect(try !own.names().contains { $0.contains("copy") })
                // The stores of users have no such method: the service would write where its caller may not.
                #expect(throws: DBusError.self) {
                    try service.connection().call(
                        BusNames.name, path: Notes.path("Notes", user: CurrentProcess.userID),
                        interface: "org.coffer.Storage1.Store", member: "Backup",
                        body: [.string("\(path)/Other.copy")])
                }
                #expect(try Folder(at: path).names() == ["Notes.copy"])
            }
        }
    }

    @Test
    func `over the system's bus a copy takes the store's place as memory that nobody can change`() throws {
        try withService(isSystem: true) { service in
            try withTemporaryFolder { path in
                let channel = try service.channel()
                let store = try channel.open()
                try channel.insert(["Milk"], into: store)
                let file = "\(path)/Notes.copy"
                _ = try connection(service).backUpStore(named: "Notes", toFileAt: file)
                try channel.insert(["Tea"], into: store)
                let call = try channel.start(
                    .replaceStore,
                    ReplaceStoreRequestMessage(name: StoreNameMessage(name: "Notes")).packed(),
                    descriptors: [Folder(at: path).openBeneath("Notes.copy")])
                let refusal = #expect(throws: Refusal.self) { _ = try channel.reply(to: call) }
                #expect(
                    refusal?.reason == "not_sealed" && refusal?.text.contains("memfd_create") == true,
                    "\(refusal as Any)")
                try run("truncate", ["-s", "1025M", "\(path)/Large"])
                let large = #expect(throws: CofferError.self) {
                    try connection(service).replaceStore(named: "Notes", withFileAt: "\(path)/Large")
                }
                guard case .refused("ResourceExhausted", "too_large", _, "\(path)/Large")? = large else {
                    return #expect(Bool(false), "\(large as Any)")
                }
                #expect(try channel.count(store) == 2, "nobody was parted from the store")
                let number = try connection(service).replaceStore(
                    named: "Notes", withFileAt: file, wait: .milliseconds(1))
                #expect(number == 3)
                #expect(try channel.count(channel.open()) == 1)
                #expect(try Folder(at: path).names().sorted() == ["Large", "Notes.copy"])
            }
        }
    }

    @Test
    func `an administrator copies a store by a path`() throws {
        try withService { service in
            try withTemporaryFolder { path in
                let client = try ClientProcess(service)
                try client.insert(1)
                let object = try #require(try service.managedObjects().first { $0.hasSuffix("/Log") })
                func backup(_ file: String) throws -> [DBusValue] {
                    try service.connection().call(
                        BusNames.name, path: object, interface: "org.coffer.Storage1.Store",
                        member: "Backup", body: [.string(file)]
                    ).body
                }
                let reply = try backup("\(path)/Log.copy")
                let size = try #require(try Folder(at: path).facts(of: "Log.copy")).byteCount
                #expect(reply == [.uint64(1), .uint64(UInt64(size))])
                for file in ["Log.copy", "", "/", "\(path)/", "\(path)/Log.copy", "\(path)/none/Log.copy"] {
                    #expect(throws: DBusError.self, "\(file)") { try backup(file) }
                }
                #expect(try client.end() == .code(0))
            }
        }
    }

    @Test
    func `what came along and is not a folder is refused`() throws {
        try withService { service in
            let client = try service.channel()
            let store = try client.open()
            let pipe = try Pipe.make()
            let request = BackupStoreRequestMessage(store: store.handle, fileName: "a", place: "/b")
            let call = try client.start(.backupStore, request.packed(), descriptors: [pipe.reader])
            let refusal = #expect(throws: Refusal.self) { _ = try client.reply(to: call) }
            #expect(refusal?.reason == "unfit_folder", "\(refusal as Any)")
        }
    }
}
