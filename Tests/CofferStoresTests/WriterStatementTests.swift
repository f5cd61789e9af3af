import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Synchronization
import Testing

/// What the writer compiles and reads besides what it writes.
@Suite struct WriterStatementTests {
    private static let names = ["a", "b", "c", "d", "e", "f", "g", "h"]

    private func files() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "File",
                attributes: [AttributeDefinition("name", .string, isOptional: true)]
                    + Self.names.map {
                        AttributeDefinition($0, .binary, isOptional: true, allowsExternalStorage: true)
                    })
        ])
    }

    /// Gives all files a name that depends on which of the attributes are there that `bits` says.
    private func update(_ bits: Int) throws -> BatchUpdateMessage {
        let names = Self.names.indices.filter { bits >> $0 & 1 == 1 }.map { Self.names[$0] }
        let predicate = try QueryPredicate(
            format: names.map { "\($0) != nil" }.joined(separator: " AND "))
        return BatchUpdateMessage(
            entity: "File",
            assignments: [
                AssignmentMessage(
                    property: "name",
                    expression: .conditional(
                        predicate, then: .constant(.string("all")), otherwise: .constant(.string("\(bits)"))))
            ])
    }

    @Test func `requests that read other attributes each time do not fill memory with statements`() throws {
        try withStore(files()) { bench in
            try bench.save(inserts: [bench.insert("File")])
            func run(_ updates: ClosedRange<Int>) throws {
                var request = bench.request()
                request.batch = BatchMessage(updates: try updates.map(update), result: .count)
                guard case .saved(let saved) = try bench.execute(request).reply else {
                    throw StoreError.other("not saved")
                }
                #expect(saved.batch.count == UInt64(updates.count))
            }
            try run(1...1)
            let before = bench.writer.connection.compiledStatementCount
            try run(2...255)
            let more = bench.writer.connection.compiledStatementCount - before
            #expect((1...80).contains(more), "\(more)")
            #expect(try bench.query("SELECT ZNAME FROM ZFILE") == ["255"])
        }
    }

    @Test func `of a row that the store keeps only the version is read before it is written`() throws {
        let told = Mutex<[SQLDebugEntry]>([])
        let debug = SQLDebug(level: 0) { entry in told.withLock { $0.append(entry) } }
        var options = StoreOptions()
        options.sqlDebug = debug
        try withStore(options: options) { bench in
            let rivals = try bench.reference("Author", "rival", [nil, ("Author", -3), ("Author", -2)])
            let names = try bench.text("Author", "name", ["A", "B", "C"])
            try bench.save(inserts: [bench.insert("Author", [names, rivals], count: 3)])
            debug.level = 1
            // The request says nothing of the two whose pair it would part: the store keeps that.
            let saved = try bench.save(
                policy: .storeTrump,
                updates: [
                    bench.update(
                        "Author", 1, version: 1,
                        [
                            bench.text("Author", "name", ["D"]),
                            bench.reference("Author", "rival", [("Author", 2)]),
                        ],
                        old: [
                            bench.text("Author", "name", ["A"]), bench.reference("Author", "rival", [nil]),
                        ])
                ])
            debug.level = 0
            #expect(saved.saved.refreshed.map(\.primaryKeys) == [[1]])
            #expect(
                try bench.query("SELECT ZNAME, ZRIVAL FROM ZAUTHOR ORDER BY Z_PK")
                    == ["D|NULL", "B|3", "C|2"])
            let whole = told.withLock { $0 }.filter {
                $0.sql.hasPrefix("SELECT Z_OPT") && $0.sql.contains("ZNAME")
            }
            // For the answer.
            #expect(whole.reduce(0) { $0 + $1.runs } == 1, "\(whole.map(\.text))")
        }
    }
}
