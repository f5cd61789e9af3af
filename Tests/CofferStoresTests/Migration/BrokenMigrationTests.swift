import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Migrations that end in the middle.
@Suite struct BrokenMigrationTests {
    private static let old = [
        EntityDefinition(
            "Album",
            attributes: [AttributeDefinition("title", .string, isOptional: true)],
            relationships: [
                RelationshipDefinition("photos", to: "Photo", inverse: "album", isToMany: true)
            ]),
        EntityDefinition(
            "Photo",
            attributes: [
                AttributeDefinition("data", .binary, isOptional: true),
                AttributeDefinition("rank", .string, isOptional: true),
            ],
            relationships: [RelationshipDefinition("album", to: "Album", inverse: "photos")]),
        EntityDefinition("Gone", attributes: [AttributeDefinition("n", .integer16, isOptional: true)]),
    ]

    /// Something of each kind: values converted and moved to files, links newly written, an entity gone.
    private static let new = [
        EntityDefinition("Aalbum", renamingIdentifier: "Album").with(
            attributes: [AttributeDefinition("name", .string, isOptional: true, renamingIdentifier: "title")],
            relationships: [
                RelationshipDefinition(
                    "photos", to: "Photo", inverse: "albums", isToMany: true, isOrdered: true)
            ]),
        EntityDefinition(
            "Photo",
            attributes: [
                AttributeDefinition("data", .binary, isOptional: true, allowsExternalStorage: true),
                AttributeDefinition("rank", .integer32, defaultValue: .integer(3)),
            ],
            relationships: [
                RelationshipDefinition(
                    "albums", to: "Aalbum", inverse: "photos", isToMany: true, renamingIdentifier: "album")
            ]),
    ]

    private func fill(_ harness: MigrationHarness) throws {
        try harness.fill { bench in
            try bench.save(inserts: [
                bench.insert("Album", [bench.text("Album", "title", ["a", "b"])], count: 2),
                bench.insert("Gone", [bench.integers("Gone", "n", [1, 2])], count: 2),
            ])
            var data = ByteRuns()
            for size in [103_000, 3, 104_000] {
                data.data += [UInt8](repeating: 7, count: size)
                data.ends.append(UInt32(data.data.count))
            }
            let column = Column(property: try bench.property("Photo", "data"), values: .bytes(data))
            try bench.save(inserts: [
                bench.insert(
                    "Photo",
                    [
                        column, bench.text("Photo", "rank", ["1", nil, "2"]),
                        bench.reference("Photo", "album", [("Album", 1), ("Album", 1), nil]),
                    ], count: 3)
            ])
        }
    }

    @Test(.leftToAll) func `whatever breaks leaves the old store whole, or the new one`() throws {
        var (failures, isDone) = (0, false)
        for skipping in 0..<1_000 where !isDone {
            try withMigration(from: Self.old, to: Self.new) { harness in
                try fill(harness)
                let before = try ObjectGraph(reading: harness.open(harness.source))
                let wanted = before.migrated(
                    by: try InferredMapping(from: harness.source, to: harness.destination))
                // From here on all that is written fails, as if the process had died.
                let vfs = try SQLiteVFS()
                let all: SQLiteFault.Operations = [.write, .sync, .truncate, .delete]
                vfs.inject(SQLiteFault(.ioError, at: all, skipping: skipping, repeats: true))
                var isMigrated = true
                do {
                    _ = try harness.migration(vfs: vfs).run()
                    isDone = vfs.faultCount == 0
                } catch {
                    isMigrated = false
                    failures += 1
                }
                vfs.clearFault()
                // It may be new even so: what a commit that failed has written can be whole.
                if !isMigrated, let file = try? harness.open(harness.source) {
                    #expect(try ObjectGraph(reading: file) == before, "skipping \(skipping)")
                    #expect(try file.integrityCheck(on: file.makeReader()).isEmpty, "skipping \(skipping)")
                    return
                }
                try harness.check()
                let file = try harness.open(harness.destination)
                #expect(try ObjectGraph(reading: file) == wanted, "skipping \(skipping)")
                try ExternalStore.expectWhole(file)
            }
        }
        print("\(failures) calls broken")
        #expect(failures > 20 && isDone)
    }

    @Test(arguments: [0, 5, 20, 60])
    func `a full disk takes nothing away`(skipping: Int) throws {
        try withMigration(from: Self.old, to: Self.new) { harness in
            try fill(harness)
            let before = try ObjectGraph(reading: harness.open(harness.source))
            let vfs = try SQLiteVFS()
            vfs.inject(SQLiteFault(.full, at: .write, skipping: skipping, repeats: true))
            #expect(throws: StoreError.self) { try harness.migration(vfs: vfs).run() }
            vfs.clearFault()
            let bench = try Bench(harness.open(harness.source))
            #expect(try ObjectGraph(reading: bench.file) == before)
            // And what failed can be done again.
            _ = try bench.save(inserts: [bench.insert("Gone")])
            withExtendedLifetime(bench) {}
        }
    }

    @Test func `what a process that died has left in the log is migrated, too`() throws {
        try withMigration(from: Self.old, to: Self.new) { harness in
            try fill(harness)
            let bench = try Bench(harness.open(harness.source))
            try bench.save(inserts: [bench.insert("Album", [bench.text("Album", "title", ["late"])])])
            try withTemporaryFolder { path in
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(
                        atPath: harness.path + "/Test.sqlite" + suffix, toPath: path + "/Test.sqlite" + suffix
                    )
                }
                let copy = MigrationHarness(
                    path: path, source: harness.source, destination: harness.destination)
                _ = try copy.migration().run()
                try copy.check()
                let graph = try ObjectGraph(reading: copy.open(copy.destination))
                #expect(
                    graph.objects[.init(entity: "Aalbum", key: 3)]?.attributes["name"] == .string("late"))
            }
        }
    }

    @Test func `a migration that is stopped has changed nothing`() throws {
        for step in MigrationProgress.allCases {
            try withMigration(from: Self.old, to: Self.new) { harness in
                try fill(harness)
                let before = try ObjectGraph(reading: harness.open(harness.source))
                #expect(throws: StoreError.interrupted) {
                    try harness.migration().run(progress: { $0 != step })
                }
                let file = try harness.open(harness.source)
                #expect(try ObjectGraph(reading: file) == before)
                #expect(
                    FileManager.default.subpaths(atPath: harness.path)?.contains {
                        $0.contains("_PENDING_Test.sqlite/")
                    } == false)
            }
        }
    }
}

extension EntityDefinition {
    /// The entity with these attributes and relationships.
    fileprivate func with(
        attributes: [AttributeDefinition], relationships: [RelationshipDefinition]
    ) -> EntityDefinition {
        var entity = self
        entity.attributes = attributes
        entity.relationships = relationships
        return entity
    }
}
