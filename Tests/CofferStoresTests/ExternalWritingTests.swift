import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Values that saves put into files beside the store, as Core Data has them.
@Suite struct ExternalWritingTests {
    @Test func `a value beyond 100 KB has a file of its own, a smaller one stays in its row`() throws {
        try withGallery { bench in
            let inline = Gallery.large(7, 100 * 1_024)
            let large = Gallery.large(8, 100 * 1_024 + 1)
            try bench.save(inserts: [bench.pictures([inline, large, [], nil])])
            #expect(
                try bench.query("SELECT length(ZDATA), hex(substr(ZDATA, 1, 1)) FROM ZPICTURE WHERE Z_PK = 1")
                    == ["\(inline.count + 1)|01"])
            #expect(
                try bench.query("SELECT ZDATA FROM ZPICTURE WHERE Z_PK > 2 ORDER BY 1") == ["NULL", "01"])
            let stored = try bench.query("SELECT ZDATA FROM ZPICTURE WHERE Z_PK = 2")[0]
            let name = try #require(bench.namesInRows().first)
            // 02, the UUID in capital letters, 00.
            #expect(stored == "02" + name.utf8.map { String(format: "%02x", $0) }.joined() + "00")
            #expect(UUID(uuidString: name)?.uuidString == name)
            let place = "\(bench.file.folder.path)/.Test_SUPPORT/_EXTERNAL_DATA/\(name)"
            #expect(try Data(contentsOf: URL(fileURLWithPath: place)) == Data(large))
            let facts = try bench.file.folder.facts(of: ".Test_SUPPORT/_EXTERNAL_DATA/\(name)")
            #expect(facts?.permissions == 0o600)
            #expect(try bench.data() == [1: inline, 2: large, 3: []])
            // History tells of the change as of any other.
            #expect(try bench.query("SELECT count(*) FROM ACHANGE") == ["4"])
        }
    }

    @Test func `a replaced or deleted value takes its file along, also by rules and in batches`() throws {
        try withGallery { bench in
            try bench.save(inserts: [
                bench.insert("Album"),
                bench.insert(
                    "Picture",
                    [
                        bench.bytes("data", (1...6).map { Gallery.large($0) }),
                        bench.bytes("mask", (1...6).map { $0 == 1 ? Gallery.large(99) : nil }),
                        bench.reference(
                            "Picture", "album", [nil, nil, nil, ("Album", -1), ("Album", -1), nil]),
                    ], count: 6),
            ])
            #expect(try bench.namesInRows().count == 7)
            // By another large value, a small one, and none.
            try bench.save(updates: [
                bench.update("Picture", 1, version: 1, [bench.bytes("data", [Gallery.large(11)])]),
                bench.update("Picture", 2, version: 1, [bench.bytes("data", [[2]])]),
                bench.update("Picture", 3, version: 1, [bench.bytes("data", [nil])]),
            ])
            try bench.expectWhole()
            #expect(try bench.namesInRows().count == 5)
            try bench.save(deletes: [bench.delete("Album", [1])])
            try bench.expectWhole()
            #expect(try bench.data() == [1: Gallery.large(11), 2: [2], 6: Gallery.large(6)])
            try batch(bench) {
                $0.updates = [
                    BatchUpdateMessage(
                        entity: "Picture",
                        assignments: [
                            AssignmentMessage(
                                property: "data", expression: .constant(.binary(Gallery.large(50))))
                        ])
                ]
            }
            try bench.expectWhole()
            #expect(Set(try bench.data().values) == [Gallery.large(50)])
            try batch(bench) { $0.deletes = [BatchDeleteMessage(entity: "Picture")] }
            try bench.expectWhole()
            #expect(try bench.namesInRows().isEmpty)
        }
    }

    private func batch(_ bench: Bench, _ fill: (inout BatchMessage) -> Void) throws {
        var request = bench.request()
        var batch = BatchMessage()
        fill(&batch)
        request.batch = batch
        guard case .saved = try bench.execute(request).reply else { throw StoreError.other("not saved") }
    }

    @Test func `a batch update of something else reads no large value, one of it can compute with it`() throws
    {
        try withGallery { bench in
            try bench.save(inserts: [bench.pictures([Gallery.large(1), [2]])])
            let place = "\(bench.file.folder.path)/.Test_SUPPORT/_EXTERNAL_DATA"
            try FileManager.default.moveItem(atPath: place, toPath: place + "x")
            func update(_ property: String, _ expression: QueryExpression) throws {
                try batch(bench) {
                    $0.updates = [
                        BatchUpdateMessage(
                            entity: "Picture",
                            assignments: [AssignmentMessage(property: property, expression: expression)])
                    ]
                }
            }
            try update("album", .constant(.null))
            try FileManager.default.moveItem(atPath: place + "x", toPath: place)
            try update("mask", .keyPath(["data"]))
            #expect(try bench.query("SELECT length(ZMASK) FROM ZPICTURE ORDER BY Z_PK") == ["38", "2"])
            #expect(try bench.namesInRows().count == 2)
        }
    }

    @Test(arguments: [MergePolicyMessage.error, .storeTrump, .objectTrump, .overwrite, .rollback])
    func `whatever a policy decides about a conflict, rows have their files`(policy: MergePolicyMessage)
        throws
    {
        try withGallery { bench in
            try bench.save(inserts: [bench.pictures([Gallery.large(1), Gallery.large(2)])])
            try bench.save(updates: [
                bench.update("Picture", 1, version: 1, [bench.bytes("data", [Gallery.large(3)])])
            ])
            let stale = try bench.request(
                policy: policy,
                updates: [
                    bench.update(
                        "Picture", 1, version: 1, [bench.bytes("data", [Gallery.large(4)])],
                        old: [bench.bytes("data", [Gallery.large(1)])])
                ], deletes: [bench.delete("Picture", [2])])
            let execution = try bench.execute(stale)
            try bench.expectWhole()
            if case .conflicts(let conflicts) = execution.reply {
                #expect(policy == .error)
                guard
                    case .bytes(let runs)? = conflicts.first?.stored?.columns.first(where: {
                        $0.property == (try? bench.property("Picture", "data"))
                    })?.values
                else { return #expect(Bool(false), "\(conflicts)") }
                #expect(runs.data == Gallery.large(3))
            } else {
                let won: UInt8 = policy == .objectTrump || policy == .overwrite ? 4 : 3
                #expect(try bench.data() == [1: Gallery.large(won)])
            }
        }
    }

    @Test func `an upsert and a refused constraint leave the files of the rows that are there`() throws {
        try withGallery { bench in
            try bench.save(inserts: [bench.pictures([Gallery.large(1)], codes: ["A"])])
            let refused = try bench.execute(
                bench.request(inserts: [bench.pictures([Gallery.large(2)], codes: ["A"])]))
            guard case .constraints = refused.reply else { return #expect(Bool(false), "\(refused.reply)") }
            try bench.expectWhole()
            try bench.save(
                policy: .objectTrump,
                inserts: [bench.pictures([Gallery.large(3), Gallery.large(4)], codes: ["A", "B"])])
            try bench.expectWhole()
            #expect(Set(try bench.data().values) == [Gallery.large(3), Gallery.large(4)])
        }
    }

    @Test func `several saves of one transaction come and go each with its files`() throws {
        try withGallery { bench in
            let origin = SaveOrigin(application: "a", process: "p", timestamp: 1)
            try bench.writer.begin()
            _ = try bench.writer.execute(
                bench.request(inserts: [bench.pictures([Gallery.large(1)])]), by: origin)
            #expect(try Gallery.files(in: bench.file.folder.path).waiting.count == 1)
            // It reads what waits, of which no other reader knows.
            let stale = try bench.writer.execute(
                bench.request(updates: [
                    bench.update("Picture", 1, version: 7, [bench.bytes("data", [Gallery.large(2)])])
                ]), by: origin)
            guard case .conflicts(let conflicts) = stale.reply else { return #expect(Bool(false)) }
            #expect(
                conflicts[0].stored?.columns.contains {
                    $0.values == .bytes(ByteRuns(data: Gallery.large(1), ends: [150_000]))
                }
                    ?? false)
            _ = try bench.writer.execute(
                bench.request(updates: [
                    bench.update("Picture", 1, version: 1, [bench.bytes("data", [Gallery.large(3)])])
                ]), by: origin)
            #expect(throws: StoreError.self) {
                try bench.writer.execute(
                    bench.request(
                        inserts: [bench.pictures([Gallery.large(5)])],
                        updates: [
                            bench.update("Picture", 99, version: 1, [bench.text("Album", "name", ["x"])])
                        ]),
                    by: origin)
            }
            #expect(try Gallery.files(in: bench.file.folder.path).placed == [])
            try bench.writer.commit()
            try bench.expectWhole()
            #expect(try bench.data() == [1: Gallery.large(3)])
            try bench.writer.begin()
            _ = try bench.writer.execute(
                bench.request(inserts: [bench.pictures([Gallery.large(6)])]), by: origin)
            try bench.writer.rollback()
        }
    }

    @Test func `predicates see values as they are, wherever they lie`() throws {
        try withGallery { bench in
            try bench.save(inserts: [bench.pictures([[5, 6], Gallery.large(8), nil])])
            func keys(_ format: String, _ arguments: any QueryArgument...) throws -> [Int64] {
                try bench.data(where: QueryPredicate(format: format, arguments: arguments))
                    .keys.sorted()
            }
            #expect(try keys("data == %@", Data([5, 6])) == [1])
            #expect(try keys("data == %@", Data(Gallery.large(8))) == [2])
            #expect(try keys("data != %@", Data([5, 6])) == [2])
            #expect(try keys("data IN %@", [Data([5, 6]), Data(Gallery.large(8))]) == [1, 2])
            #expect(try keys("data != nil") == [1, 2])
            let name = try #require(bench.namesInRows().first)
            let place = "\(bench.file.folder.path)/.Test_SUPPORT/_EXTERNAL_DATA/\(name)"
            try FileManager.default.moveItem(atPath: place, toPath: place + "x")
            // A fetch that asks only whether there is a value reads no value.
            var fetch = FetchDescription(
                entityName: "Picture", predicate: try QueryPredicate(format: "data != nil"))
            fetch.resultType = .count
            var options = StoreReader.Options()
            options.externalBytes = { [file = bench.file] name throws(StoreError) in
                try file.externalBytes(name)
            }
            let reader = try StoreReader(
                connection: bench.file.makeReader(), schema: bench.file.schema, options: options)
            #expect(try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch)).count == 2)
            fetch.predicate = try QueryPredicate(format: "data == %@", arguments: [Data([1])])
            // A value whose file is missing is taken for null, which equals nothing.
            #expect(try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch)).count == 0)
            try FileManager.default.moveItem(atPath: place + "x", toPath: place)
        }
    }
}
