import Coffer
import CofferEmbedded
import CofferLinux
import CofferModel
import CofferSQLite
import CofferWire
import TestSupport
import Testing

/// Files that Coffer did not make, in the service and in a program's own folder.
@Suite struct ForeignFileProcessTests {
    /// Lends a service whose store of notes looks as if Coffer had never seen it.
    private func withForeignNotes(_ body: (ServiceUnderTest) throws -> Void) throws {
        try withService { service in
            let maker = try service.channel()
            try maker.insert(["Milk"], into: maker.open())
            try service.kill9()
            do {
                let file = try SQLiteConnection(path: LogFile.path(service, "Notes"), mode: .readWrite)
                let names = try file.prepare(
                    "SELECT name FROM sqlite_master WHERE name GLOB 'COFFER_*' AND type = 'table'")
                var tables: [String] = []
                while try names.step() { tables.append(names.text(0)) }
                names.reset()
                for table in tables { try file.execute("DROP TABLE \(table)") }
            }
            let folder = try Folder(at: LogFile.folder(service))
            for suffix in [".lock", "-shm"] { try folder.unlink("Notes.sqlite" + suffix) }
            try body(service)
        }
    }

    private func open(
        _ client: RawClient, isReadOnly: Bool = false, adopts: Bool = false
    ) throws -> OpenNotes {
        let model: RegisterModelReplyMessage = try client.call(
            .registerModel, RegisterModelRequestMessage(model: try Notes.model()))
        let reply: OpenStoreReplyMessage = try client.call(
            .openStore,
            OpenStoreRequestMessage(
                name: .init(name: "Notes"), modelID: model.modelID, mustExist: true, isReadOnly: isReadOnly,
                adopts: adopts))
        guard case .opened(let opened) = reply else { throw ServiceUnderTest.Missing() }
        return try OpenNotes(opened)
    }

    private func files(_ service: ServiceUnderTest) throws -> [String: FolderSnapshot.File] {
        try FolderSnapshot(of: LogFile.folder(service)).files.filter { $0.key.hasPrefix("Notes.") }
    }

    @Test(arguments: [false, true])
    func `a file that keeps no model is taken on from the version that its hashes tell`(
        asApplication: Bool
    ) throws {
        try withForeignNotes { service in
            do {
                let file = try SQLiteConnection(path: LogFile.path(service, "Notes"), mode: .readWrite)
                try file.execute("DROP TABLE Z_MODELCACHE")
            }
            try Folder(at: LogFile.folder(service)).unlink("Notes.sqlite-shm")
            let before = try files(service)
            let connection = try ServiceConnection(
                application: "org.coffer.Tests", bus: .explicit(service.bus.address))
            let next = try ManagedObjectModel {
                Entity("Folder") {
                    Field("name", .string).optional()
                    Many("notes", "Note", inverse: "folder", deleteRule: .cascade)
                }
                Entity("Note") {
                    Field("rank", .integer32).optional().renamed(from: "stars")
                    Field("title", .string).optional()
                    One("folder", "Folder", inverse: "notes")
                }
            }
            let versions = [(name: "1", model: try Notes.model()), (name: "2", model: next)]
            let route = MigrationRoute.stages(
                versions.map { MigrationRoute.Stage(name: $0.name, model: $0.model) })
            #expect(throws: CofferError.self) {
                _ = try connection.migrateStore(named: "Notes", to: next, adopts: true)
            }
            let look = try connection.migrateStore(named: "Notes", to: next, by: route, onlyPlans: true)
            #expect(look.origin == "1" && look.stages.map(\.name) == ["2"])
            #expect(try files(service) == before)
            if asApplication {
                let done = try connection.migrateStore(
                    named: "Notes", through: versions.map { MigrationStage(name: $0.name, model: $0.model) },
                    adopts: true)
                #expect(done.map(\.stage) == ["2"])
            } else {
                let done = try connection.migrateStore(named: "Notes", to: next, by: route, adopts: true)
                #expect(done.origin == "1" && done.number != nil)
            }
            let again = try connection.migrateStore(named: "Notes", to: next, by: route)
            #expect(again.origin == "2" && again.stages.isEmpty)
        }
    }

    @Test
    func `the service reads a file that it did not make as it is, and writes it with consent`() throws {
        try withForeignNotes { service in
            let before = try files(service)
            let (reader, writer) = (try service.channel(), try service.channel())
            let store = try open(reader, isReadOnly: true)
            #expect(try reader.count(store) == 1)
            for isRead in [true, false] {
                if !isRead {
                    let _: EmptyMessage = try reader.call(
                        .closeStore, CloseStoreRequestMessage(store: store.handle))
                }
                let refusal = #expect(throws: Refusal.self) { try open(writer) }
                #expect(refusal?.reason == "not_adopted", "\(refusal as Any)")
                #expect(refusal?.text.contains("tables of Coffer's own") == true, "\(refusal as Any)")
            }
            #expect(try files(service) == before)
            try writer.insert(["Tea"], into: open(writer, adopts: true))
            #expect(try reader.count(open(reader)) == 2)
        }
    }

    @Test
    func `a program reads a file that Coffer did not make as it is, and writes it with consent`() throws {
        try withForeignNotes { service in
            let folder = LogFile.folder(service)
            let before = try files(service)
            let notes = FetchRequest<ManagedObject>(entityName: "Note")
            func container(_ description: StoreDescription) throws -> PersistentContainer {
                let container = try PersistentContainer.embedded(
                    name: "Notes", model: Notes.model(), folder: folder, stores: [description])
                try container.loadStores()
                return container
            }
            do {
                let reader = try container(StoreDescription(name: "Notes", isReadOnly: true))
                #expect(try reader.newContext().count(for: notes) == 1)
            }
            let error = #expect(throws: CofferError.self) { try container(StoreDescription(name: "Notes")) }
            guard case .refused(_, "not_adopted", let text, _)? = error else {
                return #expect(Bool(false), "\(error as Any)")
            }
            #expect(text.contains("tables of Coffer's own") && text.contains("'adopts'"))
            #expect(try files(service) == before)
            let writer = try container(StoreDescription(name: "Notes", adopts: true)).newContext()
            try writer.insert(entityNamed: "Note").setValue(.string("Tea"), forKey: "title")
            try writer.save()
            #expect(try writer.count(for: notes) == 2)
        }
    }

    @Test
    func `opening a file that the service did not make migrates it with consent only`() throws {
        try withForeignNotes { service in
            let before = try files(service)
            let model = try ManagedObjectModel {
                Entity("Folder") {
                    Field("name", .string).optional()
                    Many("notes", "Note", inverse: "folder", deleteRule: .cascade)
                }
                Entity("Note") {
                    Field("title", .string).optional()
                    One("folder", "Folder", inverse: "notes")
                    Field("rank", .integer64).default(7)
                }
            }
            func container(_ description: StoreDescription) throws -> PersistentContainer {
                let container = try PersistentContainer(
                    name: "Notes", model: model, application: "org.coffer.Tests", stores: [description],
                    bus: .explicit(service.bus.address))
                try container.loadStores()
                return container
            }
            let error = #expect(throws: CofferError.self) { try container(StoreDescription(name: "Notes")) }
            switch error {
            case .incompatibleModel?, .refused(_, "not_adopted", _, _)?: break
            default: Issue.record("\(error as Any)")
            }
            #expect(try files(service) == before)
            let context = try container(StoreDescription(name: "Notes", adopts: true)).newContext()
            let note = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Note")).first)
            #expect(note["title"] == .string("Milk") && note["rank"] == .integer(7))
        }
    }
}
