import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Testing

/// Numbers that no program of sound mind writes: each request gets an answer or an error, and nothing traps.
@Suite struct DamagedFileTests {
    static let numbers = ["0", "NULL", "-9223372036854775808", "9223372036854775807", "'x'"]

    @Test(arguments: numbers)
    func `a row of no entity holds a unique value, and is not named`(number: String) throws {
        try withStore { bench in
            try bench.save(inserts: [bench.insert("Tag", [bench.text("Tag", "name", ["red"])])])
            try bench.writer.connection.execute("UPDATE ZTAG SET Z_ENT = \(number)")
            let request = try bench.request(inserts: [
                bench.insert("Tag", [bench.text("Tag", "name", ["red"])])
            ])
            let reply = try bench.execute(request).reply
            guard case .constraints(let conflicts) = reply else {
                Issue.record("\(reply)")
                return
            }
            #expect(conflicts.map(\.constraint) == [["name"]] && conflicts[0].existing == nil)
            #expect(try SaveReplyMessage(packed: reply.packed()) == reply)
        }
    }

    @Test(arguments: numbers)
    func `a row of no entity cannot be referred to, and is not deleted`(number: String) throws {
        try withStore { bench in
            try bench.save(inserts: [bench.insert("Author", [bench.text("Author", "name", ["A"])])])
            try bench.writer.connection.execute("UPDATE ZAUTHOR SET Z_ENT = \(number)")
            let novel = try bench.insert("Novel", [bench.reference("Novel", "author", [("Author", 1)])])
            let reply = try bench.execute(bench.request(inserts: [novel])).reply
            guard case .invalid(let failures) = reply else {
                Issue.record("\(reply)")
                return
            }
            #expect(failures.map(\.reason) == [.unknownObject])
            let delete = try bench.request(deletes: [bench.delete("Author", [1])])
            #expect(throws: StoreError.unknownObject(entity: "Author", primaryKey: 1)) {
                try bench.execute(delete)
            }
        }
    }

    @Test(
        arguments: ["9223372036854775807", "-9223372036854775808"],
        [MergePolicyMessage.rollback, .storeTrump])
    func `a pair that the store keeps may name any key`(number: String, policy: MergePolicyMessage) throws {
        try withStore { bench in
            let names = try bench.text("Author", "name", ["A", "B"])
            try bench.save(inserts: [bench.insert("Author", [names], count: 2)])
            try bench.writer.connection.execute(
                "UPDATE ZAUTHOR SET ZRIVAL = \(number), Z_OPT = 7 WHERE Z_PK = 1")
            let saved = try bench.save(
                policy: policy, inserts: [bench.insert("Author", [bench.text("Author", "name", ["C"])])],
                updates: [
                    bench.update(
                        "Author", 1, version: 1, [bench.reference("Author", "rival", [("Author", 2)])])
                ])
            #expect(saved.saved.firstKeys == [3])
            #expect(
                try bench.query("SELECT ZRIVAL FROM ZAUTHOR ORDER BY Z_PK") == [number, "NULL", "NULL"])
        }
    }

    @Test(arguments: ["9223372036854775807", "9223372036854775806", "NULL", "-9223372036854775808"])
    func `a table without keys to give out takes no object`(last: String) throws {
        try withStore { bench in
            try bench.writer.connection.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = \(last) WHERE Z_NAME = 'Shelf'")
            for count in [1, 2] {
                let request = try bench.request(inserts: [bench.insert("Shelf", count: count)])
                let error = #expect(throws: StoreError.self) { try bench.execute(request) }
                guard case .damaged = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
            #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["0"])
        }
    }

    @Test(arguments: 16_001...16_003)
    func `history that has counted to the end takes no save`(counter: Int) throws {
        try withStore { bench in
            try bench.writer.connection.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = \(counter)")
            let request = try bench.request(inserts: [bench.insert("Shelf")])
            let error = #expect(throws: StoreError.self) { try bench.execute(request) }
            guard case .damaged = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `objects join an order whose last place is the last of all`() throws {
        try withStore { bench in
            let author = try bench.insert("Author", [bench.text("Author", "name", ["A"])])
            try bench.save(inserts: [author])
            func novel() throws -> InsertGroup {
                try bench.insert("Novel", [bench.reference("Novel", "author", [("Author", 1)])])
            }
            try bench.save(inserts: [novel()])
            try bench.writer.connection.execute("UPDATE ZWORK SET Z_FOK_AUTHOR = 9223372036854775807")
            try bench.save(inserts: [novel()])
            #expect(
                try bench.query("SELECT Z_FOK_AUTHOR FROM ZWORK")
                    == ["9223372036854775807", "9223372036854775807"])
        }
    }

    @Test(arguments: numbers)
    func `changes of no entity are left out of history`(number: String) throws {
        try withStore { bench in
            try bench.save(inserts: [bench.insert("Shelf")])
            try bench.writer.connection.execute("UPDATE ACHANGE SET ZENTITY = \(number)")
            let history = try HistoryReader(connection: bench.file.makeReader(), file: bench.file)
            let reply = try history.reply(
                to: HistoryRequestMessage(store: 1, storeUUID: bench.file.uuid, after: 0))
            guard case .transactions(let transactions, 1, false) = reply else {
                Issue.record("\(reply)")
                return
            }
            #expect(transactions.map(\.changes) == [[]])
        }
    }

    @Test func `a partner with the least of all keys is let go`() throws {
        try withStore { bench in
            let name = try bench.text("Author", "name", ["A"])
            try bench.save(inserts: [bench.insert("Author", [name])])
            try bench.writer.connection.execute("UPDATE ZAUTHOR SET ZRIVAL = -9223372036854775808")
            try bench.save(
                inserts: [bench.insert("Author", [name])],
                updates: [
                    bench.update("Author", 1, version: 1, [bench.reference("Author", "rival", [nil])])
                ])
            #expect(
                try bench.query("SELECT Z_PK, ZRIVAL FROM ZAUTHOR ORDER BY Z_PK") == ["1|NULL", "2|NULL"])
        }
    }

    @Test(arguments: [MergePolicyMessage.storeTrump, .objectTrump, .overwrite, .rollback])
    func `a new object is one with the one that has the least of all keys`(_ policy: MergePolicyMessage)
        throws
    {
        try withStore { bench in
            let tag = try bench.insert("Tag", [bench.text("Tag", "name", ["red"])])
            try bench.save(inserts: [tag])
            try bench.writer.connection.execute("UPDATE ZTAG SET Z_PK = -9223372036854775808")
            let saved = try bench.save(policy: policy, inserts: [tag]).saved
            #expect(saved.merged == [0: .min])
            #expect(try bench.query("SELECT Z_PK, ZNAME FROM ZTAG") == ["-9223372036854775808|red"])
        }
    }
}
