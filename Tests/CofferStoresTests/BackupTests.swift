import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

@Suite struct BackupTests {
    private static let value = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    /// A store with so many pictures, each with its data in a file, and the names of these files.
    private func withPictures(
        _ count: Int, _ body: (StoreFile, _ store: Folder, _ target: Folder, [String]) throws -> Void
    ) throws {
        try withTemporaryFolder { path in
            let store = try Folder(at: path).makeFolders("store")
            let target = try Folder(at: path).makeFolders("target")
            let model = try ManagedObjectModel(entities: [
                EntityDefinition(
                    "Picture", attributes: [AttributeDefinition("data", .binary, allowsExternalStorage: true)]
                )
            ])
            let file = try StoreFile.open(
                in: store, fileName: "Pictures.sqlite",
                model: StoreModel(model))
            let place = try store.makeFolders(".Pictures_SUPPORT/_EXTERNAL_DATA")
            let names = (0..<count).map { _ in "\(UUID())" }
            for (index, name) in names.enumerated() {
                try place.replace(name, with: Self.value)
                try file.makeWriter().connection.execute(
                    "INSERT INTO ZPICTURE (Z_PK, Z_ENT, Z_OPT, ZDATA) VALUES (\(index + 1), 1, 1, x'02' || CAST('\(name)' AS BLOB) || x'00')"
                )
            }
            try body(file, store, target, names.sorted())
        }
    }

    private func run(
        _ file: StoreFile, _ folder: Folder, replacing: Bool = false, oneFile: Bool = false
    ) throws -> StoreBackup.Outcome? {
        var options = StoreBackup.Options()
        (options.replaces, options.isOneFile) = (replacing, oneFile)
        return try StoreBackup(of: file, in: folder, as: "Copy.sqlite", options: options).run()
    }

    /// The values of a copy, read as any store is.
    private func values(in folder: Folder, of original: StoreFile) throws -> [[UInt8]] {
        let file = try StoreFile.open(in: folder, fileName: "Copy.sqlite", model: nil)
        #expect(file.uuid == original.uuid)
        var options = StoreReader.Options()
        options.externalBytes = { name throws(StoreError) in try file.externalBytes(name) }
        let reader = try StoreReader(connection: file.makeReader(), schema: file.schema, options: options)
        let rows = try #require(
            try reader.fetch(FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Picture")))
                .rows)
        return (0..<rows.rowCount).map { rows.bytes(0, $0) ?? [] }
    }

    @Test func `a copy has the values beside it, or in itself`() throws {
        try withPictures(2) { file, store, target, names in
            let outcome = try #require(try run(file, target))
            #expect(try Set(target.names()) == ["Copy.sqlite", ".Copy_SUPPORT"])
            #expect(try target.folder(".Copy_SUPPORT/_EXTERNAL_DATA").names().sorted() == names)
            let size = try #require(try target.facts(of: "Copy.sqlite")).byteCount
            #expect(outcome.byteCount == size + 2 * Self.value.count)
            #expect(try values(in: target, of: file) == [Self.value, Self.value])
            let single = try target.makeFolders("single")
            #expect(try run(file, single, oneFile: true) != nil)
            #expect(try single.names() == ["Copy.sqlite"])
            #expect(try values(in: single, of: file) == [Self.value, Self.value])
            // Which is what 'store replace' takes.
            _ = try StoreReplacement(
                try single.openBeneath("Copy.sqlite"), of: "Other.sqlite", in: store, model: nil,
                configuration: ManagedObjectModel.defaultConfiguration)
        }
    }

    @Test func `a copy that takes another's place leaves no value of that one`() throws {
        try withPictures(2) { file, _, target, names in
            #expect(try run(file, target) != nil)
            try file.makeWriter().connection.execute("DELETE FROM ZPICTURE WHERE Z_PK = 2")
            #expect(throws: StoreError.alreadyExists(path: "\(target.path)/Copy.sqlite")) {
                try run(file, target)
            }
            #expect(try target.folder(".Copy_SUPPORT/_EXTERNAL_DATA").names().count == names.count)
            #expect(try run(file, target, replacing: true) != nil)
            #expect(try target.folder(".Copy_SUPPORT/_EXTERNAL_DATA").names().count == 1)
            #expect(try values(in: target, of: file) == [Self.value])
        }
    }

    @Test func `a copy keeps its values though those of the one it replaced cannot be removed`() throws {
        try withPictures(2) { file, _, target, names in
            try target.replace("Copy.sqlite", with: [1])
            let other = "\(UUID())"
            _ = try target.makeFolders(".Copy_SUPPORT/_EXTERNAL_DATA/\(other)")
            #expect(try run(file, target, replacing: true) != nil)
            #expect(
                try Set(target.folder(".Copy_SUPPORT/_EXTERNAL_DATA").names()) == Set(names + [other]))
            #expect(try values(in: target, of: file) == [Self.value, Self.value])
        }
    }

    @Test(arguments: [false, true])
    func `a copy is not taken for the file whose journal was left there`(replacing: Bool) throws {
        try withPictures(1) { file, _, target, _ in
            if replacing { try target.replace("Copy.sqlite", with: [1]) }
            for suffix in ["-journal", "-shm"] { try target.replace("Copy.sqlite" + suffix, with: [1]) }
            #expect(try run(file, target, replacing: replacing) != nil)
            #expect(try Set(target.names()) == ["Copy.sqlite", ".Copy_SUPPORT"])
        }
    }

    @Test(arguments: [false, true])
    func `a copy whose value went meanwhile is given up, and leaves nothing`(oneFile: Bool) throws {
        try withPictures(3) { file, store, target, names in
            try store.unlink(".Pictures_SUPPORT/_EXTERNAL_DATA/\(names[1])")
            #expect(try run(file, target, oneFile: oneFile) == nil)
            #expect(try target.names() == [])
        }
    }

    @Test func `a full disk leaves nothing, or what was there, wherever it is met`() throws {
        try withPictures(1) { file, _, target, _ in
            file.vfs.startCounting()
            #expect(try run(file, target) != nil)
            let writes = file.vfs.count(.write, on: .database)
            #expect(writes > 5)
            let before = try target.read("Copy.sqlite", limit: 1 << 24)
            for place in 0..<writes {
                for (folder, replacing) in [(target, true), (try target.makeFolders("empty"), false)] {
                    file.vfs.inject(
                        SQLiteFault(.full, at: .write, on: .database, skipping: place, repeats: true))
                    #expect(throws: StoreError.full(path: "\(folder.path)/Copy.sqlite"), "write \(place)") {
                        try run(file, folder, replacing: replacing)
                    }
                    file.vfs.clearFault()
                }
                #expect(try target.folder("empty").names() == [])
                #expect(try target.read("Copy.sqlite", limit: 1 << 24) == before)
            }
            #expect(try Set(target.names()) == ["Copy.sqlite", ".Copy_SUPPORT", "empty"])
        }
    }

    @Test func `a file that is not a copy is not replaced by one`() throws {
        try withPictures(1) { file, store, target, _ in
            func refusal(_ name: String, in folder: Folder) throws -> String {
                var options = StoreBackup.Options()
                options.replaces = true
                do throws(StoreError) {
                    _ = try StoreBackup(of: file, in: folder, as: name, options: options).run()
                    return "none"
                } catch {
                    return error.reason
                }
            }
            #expect(try refusal("Pictures.sqlite", in: store) == "unfit_target", "the store itself")
            _ = try target.makeFolders("folder")
            #expect(try refusal("folder", in: target) == "unfit_target")
            try target.replace("Used.sqlite", with: [1])
            try target.replace("Used.sqlite-wal", with: [1])
            #expect(try refusal("Used.sqlite", in: target) == "unfit_target")
            let lock = try LockFile.acquire("Open.sqlite.lock", in: target)
            try target.replace("Open.sqlite", with: [1])
            #expect(try refusal("Open.sqlite", in: target) == "locked")
            withExtendedLifetime(lock) {}
            for name in ["", "..", "a/b", "/etc/passwd"] {
                #expect(try refusal(name, in: target) == "malformed_request", "\(name)")
            }
            #expect(try target.read("Open.sqlite", limit: 10) == [1])
            #expect(try !target.names().contains { $0.hasSuffix(".part") })
        }
    }

    @Test func `a copy takes no name and no folder of what belongs to other stores`() throws {
        try withPictures(1) { file, store, target, _ in
            var options = StoreBackup.Options()
            options.replaces = true
            for name in [
                "Z.sqlite-wal", "Z.sqlite-shm", "Z.sqlite-journal", "Z.sqlite.lock", "Z.SQLITE-WAL",
                ".Z_SUPPORT", ".Z.sqlite.new",
            ] {
                try target.replace(name, with: [1])
                let error = #expect(throws: StoreError.self) {
                    try StoreBackup(of: file, in: target, as: name, options: options)
                }
                #expect(error?.reason == "unfit_target", "\(name)")
                #expect(try target.read(name, limit: 10) == [1])
            }
            options.closedFolders = [target]
            for folder in [target, try target.makeFolders("application/Default")] {
                let error = #expect(throws: StoreError.self) {
                    try StoreBackup(of: file, in: folder, as: "Z.sqlite", options: options)
                }
                #expect(error?.reason == "unfit_target")
            }
            #expect(try StoreBackup(of: file, in: store, as: "Z.sqlite", options: options).run() != nil)
        }
    }

    @Test func `a value whose file has other names is copied, and stays there as it was`() throws {
        try withPictures(2) { file, store, target, names in
            let place = try store.folder(".Pictures_SUPPORT/_EXTERNAL_DATA")
            for name in names { #expect(try place.link(name, to: "elsewhere-\(name)")) }
            #expect(try run(file, target) != nil)
            #expect(try values(in: target, of: file) == [Self.value, Self.value])
            let copies = try target.folder(".Copy_SUPPORT/_EXTERNAL_DATA")
            for name in names {
                #expect(try copies.facts(of: name)?.linkCount == 1)
                // What a crash left, and a user gave another name.
                try target.replace("precious", with: [1, 2])
                try copies.unlink(name)
                _ = try target.makeFolders(".Copy_SUPPORT/_EXTERNAL_DATA")
                try target.rename("precious", to: ".Copy_SUPPORT/_EXTERNAL_DATA/.\(name).part")
                #expect(try copies.link(".\(name).part", to: "precious-\(name)"))
            }
            #expect(try run(file, target, replacing: true) != nil)
            for name in names {
                #expect(try copies.read("precious-\(name)", limit: 10) == [1, 2])
                #expect(try place.read("elsewhere-\(name)", limit: 1 << 20) == Self.value)
            }
        }
    }

    @Test func `a damaged store has no copy`() throws {
        try withPictures(1) { file, store, target, _ in
            let writer = try file.makeWriter()
            try writer.connection.execute(
                "CREATE TABLE T(a); CREATE INDEX I ON T(a); INSERT INTO T VALUES (1), (2)")
            try writer.checkpointFully()
            // An index that lacks what its table has.
            let root = try writer.connection.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'I'")
            #expect(try root.step())
            let page = Int(root.int64(0)) - 1
            root.reset()
            let raw = try store.openBeneath("Pictures.sqlite", [.readWrite])
            let size = Int(try writer.connection.pragma("page_size") ?? "") ?? 0
            try raw.writeAll([10, 0, 0, 0, 0, 0, 0, 0], at: page * size)
            func backUp() -> String? {
                let error = #expect(throws: StoreError.self) { try run(file, target) }
                guard case .damaged(let path, _)? = error else { return nil }
                return path
            }
            #expect(backUp() == file.path)
            #expect(try target.names() == [])
            // A page of no kind, over which SQLite itself stumbles.
            try raw.writeAll([99, 0, 0, 0, 0, 0, 0, 0], at: page * size)
            #expect(backUp() == file.path)
            #expect(try target.names() == [])
        }
    }
}
