import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Synchronization
import TestSupport
import Testing

/// What the store tells of derived attributes: in its history, to everybody, and to the saving client.
@Suite struct DerivedAnnouncementTests {
    private func batch(_ bench: Bench, name: String, where format: String? = nil) throws -> SaveExecution {
        var request = bench.request()
        request.batch = BatchMessage(
            updates: [
                BatchUpdateMessage(
                    entity: "Person", predicate: try format.map { try QueryPredicate(format: $0) },
                    assignments: [
                        AssignmentMessage(property: "name", expression: .constant(.string(name)))
                    ])
            ], result: .count)
        return try bench.execute(request)
    }

    private func saved(_ execution: SaveExecution) throws -> SavedMessage {
        guard case .saved(let saved) = execution.reply else { throw StoreError.other("\(execution.reply)") }
        return saved
    }

    /// The properties of each change of the last transaction, by the key of its object.
    private func history(_ bench: Bench) throws -> [Int64: [[Int]]] {
        let reply = try HistoryReader(connection: bench.writer.connection, file: bench.file).reply(
            to: HistoryRequestMessage(
                store: 1, storeUUID: bench.file.uuid, after: bench.writer.lastTransaction - 1))
        guard case .transactions(let transactions, _, _) = reply else { return [:] }
        var changes: [Int64: [[Int]]] = [:]
        for group in transactions.flatMap(\.changes) {
            for key in group.primaryKeys { changes[key, default: []].append(group.properties.sorted()) }
        }
        return changes
    }

    @Test func `a batch update says of its own objects what was derived, and nothing of single ones`() throws
    {
        try withStore(DerivedTriggerTests.people("canonical:(name)", type: .string)) { bench in
            let count = 2_500
            try bench.save(inserts: [bench.insert("Person", count: count)])
            let execution = try batch(bench, name: "É")
            let saved = try saved(execution)
            #expect(saved.derived.isEmpty && saved.touched.isEmpty && saved.refreshed.isEmpty)
            #expect(saved.batch.count == UInt64(count))
            let groups = try #require(execution.transaction?.changes)
            #expect(groups.map(\.primaryKeys.count) == [1_000, 1_000, 500])
            let properties = [try bench.property("Person", "name"), try bench.property("Person", "derived")]
            #expect(groups.allSatisfy { $0.properties.sorted() == properties.sorted() && $0.columns.isEmpty })
            #expect(groups.allSatisfy { $0.versions.count == $0.primaryKeys.count })
            let changes = try history(bench)
            #expect(changes.count == count && changes.values.allSatisfy { $0 == [properties.sorted()] })
            #expect(try bench.query("SELECT DISTINCT ZDERIVED FROM ZPERSON") == ["e"])
        }
    }

    @Test func `a batch update tells everybody of other objects that something was derived of`() throws {
        try withStore(DerivedTriggerTests.people("boss.name", type: .string)) { bench in
            try bench.save(inserts: [bench.insert("Person", [bench.text("Person", "name", ["boss"])])])
            let boss = ("Person", Int64(1))
            try bench.save(inserts: [
                bench.insert(
                    "Person",
                    [
                        bench.text("Person", "name", ["a", "b"]),
                        bench.reference("Person", "boss", [boss, boss]),
                    ], count: 2)
            ])
            let execution = try batch(bench, name: "new", where: "boss == nil")
            let saved = try saved(execution)
            #expect(saved.derived.isEmpty && saved.touched.isEmpty && saved.batch.count == 1)
            let groups = try #require(execution.transaction?.changes)
            #expect(groups.map(\.primaryKeys) == [[1], [2, 3]])
            #expect(groups.last?.properties == [try bench.property("Person", "derived")])
            #expect(try history(bench).values.allSatisfy { $0.count == 1 })
            #expect(try bench.query("SELECT ZDERIVED FROM ZPERSON WHERE Z_PK > 1") == ["new", "new"])
        }
    }

    @Test func `an object that was updated has one row of history, with what was derived`() throws {
        try withStore(DerivedTriggerTests.people("team.@count")) { bench in
            try bench.save(inserts: [bench.insert("Person", count: 2)])
            let renamed = UpdateGroup(
                entity: try bench.entity("Person").index, primaryKeys: [1, 2], versions: [1, 1],
                columns: [try bench.text("Person", "name", ["a", "b"])])
            var request = try bench.request(
                inserts: [bench.insert("Person", [bench.reference("Person", "boss", [("Person", 1)])])])
            request.updates = [renamed]
            let execution = try bench.execute(request)
            let saved = try saved(execution)
            let name = try bench.property("Person", "name")
            let others = try [bench.property("Person", "derived"), bench.property("Person", "team")].sorted()
            #expect(try history(bench)[1] == [([name] + others).sorted()])
            #expect(try history(bench)[2] == [[name]])
            // A client that is told at once gets the values.
            let update = try #require(execution.transaction?.changes.first { $0.kind == .update })
            #expect(update.primaryKeys == [1, 2] && update.columns.map(\.property) == [name])
            #expect(saved.touched.map(\.primaryKeys) == [[1]] && saved.touched.map(\.properties) == [others])
            #expect(saved.derived.map(\.primaryKeys) == [[1, 3]])
            #expect(saved.derived.first?.columns.map(\.values) == [.integers([1, 0])])
        }
    }

    @Test func `a save whose triggers change too many objects is refused whole, and the next one is not`()
        throws
    {
        var options = StoreOptions()
        options.derivedObjects = 3
        try withStore(DerivedTriggerTests.people("boss.name", type: .string), options: options) { bench in
            try bench.save(inserts: [bench.insert("Person", [bench.text("Person", "name", ["a"])])])
            let team = try bench.insert(
                "Person", [bench.reference("Person", "boss", [("Person", 1), ("Person", 1)])], count: 2)
            try bench.save(inserts: [team])
            let rename = { (name: String, version: UInt32) in
                try bench.update("Person", 1, version: version, [bench.text("Person", "name", [name])])
            }
            try bench.save(updates: [rename("b", 2)])
            let other = try bench.insert(
                "Person", [bench.reference("Person", "boss", [("Person", 1), ("Person", 1)])], count: 2)
            try bench.save(inserts: [other])
            #expect(throws: StoreError.tooLarge("derived attributes of more than 3 objects")) {
                try bench.save(updates: [rename("c", 4)])
            }
            let values = "SELECT DISTINCT ifnull(ZNAME, ''), ifnull(ZDERIVED, '') FROM ZPERSON ORDER BY 1, 2"
            #expect(try bench.query(values) == ["|b", "b|"])
            try bench.save(updates: [
                bench.update("Person", 2, version: 1, [bench.text("Person", "name", ["x"])])
            ])
        }
        // What batch updates change of their own objects, 1,000 at a time, is not counted.
        options.derivedObjects = 1_000
        try withStore(DerivedTriggerTests.people("canonical:(name)", type: .string), options: options) {
            bench in
            for _ in 0..<3 { try bench.save(inserts: [bench.insert("Person", count: 500)]) }
            #expect(try saved(try batch(bench, name: "É")).batch.count == 1_500)
            #expect(try bench.query("SELECT DISTINCT ZDERIVED FROM ZPERSON") == ["e"])
        }
    }

    @Test func `what another program changed gets the time at which that was found`() throws {
        let clock = Mutex(700_000_000.0)
        var options = StoreOptions()
        options.environment.now = { clock.withLock { $0 } }
        try withStore(DerivedTriggerTests.people("now()", type: .date), options: options) { bench in
            let name = try bench.text("Person", "name", ["a"])
            try bench.save(inserts: [bench.insert("Person", [name])])
            #expect(try bench.query("SELECT CAST(ZDERIVED AS INTEGER) FROM ZPERSON") == ["800000000"])
            try bench.writer.connection.execute("UPDATE ZPERSON SET ZNAME = 'theirs'")
            clock.withLock { $0 = 900_000_000 }
            let known = RowBatch(
                rowCount: 1, entity: try bench.entity("Person").index, primaryKeys: [1], versions: [1],
                columns: [name])
            let change = try bench.writer.foreignChange(since: 1, commitCount: 1, known: [PackedRows(known)])
            #expect(change.number == 2)
            #expect(try bench.query("SELECT CAST(ZDERIVED AS INTEGER) FROM ZPERSON") == ["900000000"])
            let properties = [try bench.property("Person", "name"), try bench.property("Person", "derived")]
            #expect(try history(bench)[1] == [properties.sorted()])
            clock.withLock { $0 = 950_000_000 }
            // Outside of saves it is the clock's.
            try bench.writer.connection.execute("UPDATE ZPERSON SET Z_OPT = Z_OPT + 1")
            #expect(try bench.query("SELECT CAST(ZDERIVED AS INTEGER) FROM ZPERSON") == ["950000000"])
        }
    }

    @Test func `objects that a trigger reports and that are not there are told to nobody`() throws {
        try withTemporaryFolder { path in
            let model = try StoreModel(DerivedTriggerTests.people("team.@count"))
            func open() throws -> Bench {
                try Bench(StoreFile.open(in: Folder(at: path), fileName: "T", model: model))
            }
            let report = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
            do {
                try open().writer.connection.execute(
                    "CREATE TRIGGER T AFTER INSERT ON ZPERSON BEGIN "
                        + "SELECT \(report)('ZPERSON', 1, 77, 'derived', 1), "
                        + "\(report)('ZPERSON', 1, NEW.Z_PK, 'none', 1), "
                        + "\(report)('ZPERSON', 99, NEW.Z_PK, 'derived', 1); END")
            }
            let bench = try open()
            let (saved, transaction) = try bench.save(inserts: [bench.insert("Person", count: 2)])
            #expect(saved.derived.flatMap(\.primaryKeys) == saved.firstKeys.flatMap { [$0, $0 + 1] })
            #expect(saved.touched.isEmpty && transaction?.changes.map(\.kind) == [.insert])
        }
    }
}
