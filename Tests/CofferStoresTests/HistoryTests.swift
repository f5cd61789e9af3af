import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

@Suite struct HistoryTests {
    private func history(_ bench: Bench, after: UInt64 = 0, limit: Int = 0) throws -> HistoryReplyMessage {
        try HistoryReader(connection: bench.file.makeReader(), file: bench.file).reply(
            to: HistoryRequestMessage(store: 1, storeUUID: bench.file.uuid, after: after, limit: limit))
    }

    /// As Core Data 851 has it: no table of strings, and the names in the transactions themselves.
    @Test func `a history without a table of strings is read and continued in its own form`() throws {
        try withTemporaryFolder { path in
            let open = {
                try StoreFile.open(
                    in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(Library.model()))
            }
            do {
                _ = try open()
                let raw = try SQLiteConnection(path: path + "/Test.sqlite")
                try raw.execute("DROP TABLE ATRANSACTIONSTRING")
                try raw.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16003")
                for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"] {
                    try raw.execute("ALTER TABLE ATRANSACTION DROP COLUMN \(column)")
                }
                try raw.execute(
                    "INSERT INTO ATRANSACTION(Z_PK, Z_ENT, ZAUTHOR, ZTIMESTAMP) VALUES(1, 16002, 'other', 1)")
                try raw.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16002")
            }
            let bench = try Bench(open())
            try bench.save(inserts: [bench.insert("Shelf")])
            try bench.save(inserts: [bench.insert("Shelf")])
            #expect(
                try bench.query("SELECT Z_PK, ZAUTHOR, ZCONTEXTNAME FROM ATRANSACTION")
                    == ["1|other|NULL", "2|tester|view", "3|tester|view"])
            guard case .transactions(let transactions, _, _) = try history(bench) else {
                Issue.record("the history is not there")
                return
            }
            #expect(transactions.map(\.author) == ["other", "tester", "tester"])
            #expect(try bench.writer.integrityCheck() == [])
        }
    }

    @Test func `each save is one transaction with interned names`() throws {
        try withStore { bench in
            for _ in 0..<3 { try bench.save(inserts: [bench.insert("Shelf")]) }
            #expect(
                try bench.query("SELECT Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP FROM ATRANSACTION")
                    == ["1|16002|NULL|800000000.0", "2|16002|NULL|800000000.0", "3|16002|NULL|800000000.0"])
            #expect(
                try bench.query("SELECT ZNAME FROM ATRANSACTIONSTRING ORDER BY Z_PK")
                    == ["tester", "org.example.App", "view", "app"])
            #expect(
                try bench.query(  // The first two run ahead of what was given out.
                    "SELECT Z_ENT, min(Z_MAX, 4) FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 GROUP BY 1 ORDER BY 1")
                    == ["16001|4", "16002|4", "16003|4"])
            #expect(
                try bench.query(
                    "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS FROM ACHANGE WHERE Z_PK = 2"
                )
                    == ["0|\(bench.entity("Shelf").index + 1)|2|2|NULL"])
        }
    }

    @Test func `each transaction has its own names, also after one that was taken back`() throws {
        try withStore { bench in
            func request(by author: String) throws -> SaveRequestMessage {
                var request = bench.request(inserts: [try bench.insert("Shelf")])
                request.author = author
                return request
            }
            for author in ["a", "b", "", "", "a"] { _ = try bench.execute(request(by: author)) }
            try bench.writer.begin()
            _ = try bench.writer.execute(
                request(by: "c"), by: SaveOrigin(application: "", process: "app", timestamp: bench.time))
            try bench.writer.rollback()
            for author in ["d", "c"] { _ = try bench.execute(request(by: author)) }
            guard case .transactions(let told, _, _) = try history(bench) else {
                Issue.record("expired")
                return
            }
            #expect(told.map(\.author) == ["a", "b", "", "", "a", "d", "c"])
            #expect(told.allSatisfy { $0.application == "org.example.App" && $0.contextName == "view" })
        }
    }

    @Test func `H14: changes are of type 0, 1 and 2, and updates alone name columns`() throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert("Novel", [bench.text("Novel", "title", ["a", "b"])], count: 2)
            ])
            let title = try bench.text("Novel", "title", ["c"])
            try bench.save(updates: [bench.update("Novel", 1, version: 1, [title])])
            try bench.save(deletes: [bench.delete("Novel", [2])])
            #expect(
                try bench.query(
                    "SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITYPK, ZCOLUMNS IS NOT NULL FROM ACHANGE ORDER BY Z_PK"
                )
                    == ["1|0|1|0", "1|0|2|0", "2|1|1|1", "3|2|2|0"])
        }
    }

    @Test func `changes that somebody else wrote are found wherever they stand`() throws {
        try withStore { bench in
            for _ in 0..<3 { try bench.save(inserts: [bench.insert("Shelf")]) }
            // As Core Data leaves them: no row of ours, and keys in no order of transactions.
            let shelf = try bench.entity("Shelf").index + 1
            try bench.writer.connection.execute(
                """
                DELETE FROM COFFER_TRANSACTION WHERE number = 2;
                INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) \
                VALUES(100, 16001, 0, \(shelf), 17, 2)
                """)
            guard case .transactions(let all, _, _) = try history(bench) else {
                Issue.record("expired")
                return
            }
            #expect(all.map { $0.changes.flatMap(\.primaryKeys) } == [[1], [2, 17], [3]])
        }
    }

    @Test func `the bits of an update stand for to-ones, attributes and to-manys in this order`() throws {
        try withStore { bench in
            // Novel: author (bit 0), prequel (1) and its entity (2), pages (3), title (4), genre (5), tags
            // (6), order (7).
            try bench.save(inserts: [bench.insert("Novel"), bench.insert("Tag")])
            try bench.save(updates: [
                bench.update("Novel", 1, version: 1, [bench.text("Novel", "title", ["x"])])
            ])
            try bench.save(updates: [
                bench.update("Novel", 1, version: 2, [bench.reference("Novel", "prequel", [("Novel", 1)])])
            ])
            try bench.save(updates: [
                bench.update("Novel", 1, version: 3, [bench.text("Novel", "genre", ["x"])])
            ])
            try bench.save(sets: [
                SetChange(
                    entity: bench.entity("Novel").index, property: bench.property("Novel", "tags"),
                    owners: [1],
                    targets: [1])
            ])
            #expect(
                try bench.query(
                    "SELECT ZCOLUMNS FROM ACHANGE WHERE ZCHANGETYPE = 1 AND ZENTITY = \(bench.entity("Novel").index + 1)"
                )
                    == ["08", "60", "04", "02"])
            guard case .transactions(let all, let number, let hasMore) = try history(bench) else {
                Issue.record("expired")
                return
            }
            #expect(number == 5 && !hasMore)
            let novel = try bench.entity("Novel").index
            let names = try all.dropFirst().map { transaction in
                try #require(transaction.changes.first { $0.entity == novel }).properties.map {
                    bench.model.entities[novel].properties[$0].name
                }
            }
            #expect(names == [["title"], ["prequel"], ["genre"], ["tags"]])
        }
    }

    @Test func `what history tells is what was announced`() throws {
        try withStore { bench in
            var announced: [TransactionMessage] = []
            func note(_ saved: (saved: SavedMessage, transaction: TransactionMessage?)) {
                if let transaction = saved.transaction { announced.append(transaction) }
            }
            note(
                try bench.save(inserts: [
                    bench.insert("Author", [bench.text("Author", "name", ["Ada", "Bob"])], count: 2),
                    bench.insert("Novel", [bench.reference("Novel", "author", [("Author", -1)])]),
                ]))
            note(
                try bench.save(updates: [
                    bench.update(
                        "Novel", 1, version: 1, [bench.reference("Novel", "author", [("Author", 2)])])
                ]))
            note(try bench.save(deletes: [bench.delete("Author", [2])]))
            guard case .transactions(let told, _, _) = try history(bench) else {
                Issue.record("expired")
                return
            }
            #expect(told.count == announced.count)
            for (told, announced) in zip(told, announced) {
                #expect(told.number == announced.number)
                #expect(told.author == announced.author && told.process == announced.process)
                #expect(
                    told.application == announced.application && told.contextName == announced.contextName)
                #expect(told.changes.map(\.kind) == announced.changes.map(\.kind))
                #expect(told.changes.map(\.primaryKeys) == announced.changes.map(\.primaryKeys))
                #expect(told.changes.map(\.properties) == announced.changes.map { $0.properties.sorted() })
            }
            let touched = told[1].changes.filter { $0.entity == 0 }
            #expect(touched.flatMap(\.primaryKeys).sorted() == [1, 2])
        }
    }

    @Test func `deleted objects leave the values that shall be kept`() throws {
        try withStore { bench in
            try bench.save(inserts: [bench.insert("Poem", [bench.text("Poem", "title", ["Ode"])])])
            try bench.save(deletes: [bench.delete("Poem", [1])])
            #expect(
                try bench.query(
                    "SELECT ZTOMBSTONE0, typeof(ZTOMBSTONE0), ZCOLUMNS FROM ACHANGE WHERE ZCHANGETYPE = 2")
                    == ["Ode|text|NULL"])
        }
    }

    @Test func `kept values of many deleted objects may travel, though only the first is null`() throws {
        try withStore { bench in
            let titles = [nil] + (1...16).map(String.init)
            try bench.save(inserts: [bench.insert("Poem", [bench.text("Poem", "title", titles)], count: 17)])
            try bench.save(deletes: [bench.delete("Poem", Array(1...17))])
            guard case .transactions(let deletion, _, _) = try history(bench, after: 1) else {
                Issue.record("expired")
                return
            }
            let columns = deletion.flatMap(\.changes).flatMap(\.columns)
            for column in columns { try column.check(rowCount: 17) }
            #expect(columns.map { $0.isNull(0) } == [true] && columns.map { $0.isNull(16) } == [false])
        }
    }

    @Test func `history comes in pieces and expires below its floor`() throws {
        try withStore { bench in
            for _ in 0..<5 { try bench.save(inserts: [bench.insert("Shelf")]) }
            guard
                case .transactions(let two, let number, let hasMore) = try history(bench, after: 1, limit: 2)
            else {
                Issue.record("expired")
                return
            }
            #expect(two.map(\.number) == [2, 3] && number == 5 && hasMore)
            #expect(try history(bench, after: 5) == .transactions([], number: 5, hasMore: false))
            bench.followCalendar()
            try bench.age(days: 1)
            let consumer = ConsumerRequestMessage(store: 1, name: "sync", acknowledged: 3)
            let reply = try bench.writer.setConsumer(consumer, application: "a", now: bench.time)
            #expect(reply.floor == 0)
            let lease = try #require(reply.consumers.first?.lease)
            #expect(abs(lease - bench.time - 14 * 86_400) < 60)
            try bench.age(days: 6)
            #expect(try bench.purge() == 0)
            try bench.age(days: 1)
            try bench.save(inserts: [bench.insert("Shelf")])
            #expect(try bench.purge() == 3)
            #expect(try history(bench, after: 2) == .expired(floor: 3, current: 6, isOtherStore: false))
            guard case .transactions(let rest, _, _) = try history(bench, after: 3) else {
                Issue.record("expired")
                return
            }
            #expect(rest.map(\.number) == [4, 5, 6])
            // The consumer's lease runs out. The last transaction stays: readers know by it how far the store
            // is.
            try bench.age(days: 8)
            #expect(try bench.purge() == 5)
            #expect(try bench.query("SELECT count(*) FROM ACHANGE") == ["1"])
            #expect(try bench.save(inserts: [bench.insert("Shelf")]).saved.number == 7)
            #expect(try bench.query("SELECT count(*) FROM COFFER_CONSUMER") == ["0"])
            let foreign = try HistoryReader(connection: bench.file.makeReader(), file: bench.file).reply(
                to: HistoryRequestMessage(store: 1, storeUUID: UUID(), after: 6))
            #expect(foreign == .expired(floor: 5, current: 7, isOtherStore: true))
        }
    }

    /// A file that takes another's place may have had more transactions, or fewer.
    @Test(arguments: [0, 3, 8] as [UInt64])
    func `history that begins anew is news to a reader that had read everything`(former: UInt64) throws {
        try withStore { bench in
            for _ in 0..<5 { try bench.save(inserts: [bench.insert("Shelf")]) }
            let first = try bench.writer.restartHistory(after: former, now: bench.time)
            #expect(first == max(5, former) + 1)
            for token in max(5, former) - 1..<first {
                #expect(
                    try history(bench, after: token)
                        == .expired(floor: first, current: first, isOtherStore: false))
            }
            #expect(try history(bench, after: first) == .transactions([], number: first, hasMore: false))
            try bench.save(inserts: [bench.insert("Shelf")])
            guard case .transactions(let news, _, _) = try history(bench, after: first) else {
                Issue.record("expired")
                return
            }
            #expect(news.map(\.number) == [first + 1])
        }
    }

    @Test(arguments: [3_650.0, -3_650])
    func `history and consumers survive a clock that jumps`(days: Double) throws {
        try withStore { bench in
            bench.followCalendar()
            for _ in 0..<5 { try bench.save(inserts: [bench.insert("Shelf")]) }
            let consumer = ConsumerRequestMessage(store: 1, name: "sync", acknowledged: 3)
            _ = try bench.writer.setConsumer(consumer, application: "a", now: bench.time)
            let start = bench.time
            for _ in 0..<3 {
                bench.time += days * 86_400
                #expect(try bench.purge() == 0)
                bench.time -= days * 86_400
                #expect(try bench.purge() == 0)
            }
            #expect(try bench.query("SELECT count(*) FROM ATRANSACTION") == ["5"])
            let list = ConsumerRequestMessage(store: 1, name: "", acknowledged: 0)
            let lease = try #require(
                try bench.writer.setConsumer(list, application: "a", now: start).consumers.first?.lease)
            #expect(abs(lease - start - 14 * 86_400) < 3.1 * 86_400)
            // By the days that follow it ages as ever.
            try bench.age(days: 9)
            try bench.save(inserts: [bench.insert("Shelf")])
            #expect(try bench.purge() == 3)
        }
    }

    @Test func `history ages by the clock that nobody sets where the calendar stands`() {
        let start = RetentionTime(beginning: 1_000_000)
        #expect(start.advanced(to: 1_000_000, elapsed: 500).time == 1_000_500)
        #expect(start.advanced(to: 0, elapsed: 500) == RetentionTime(time: 1_000_500, calendar: 0))
        #expect(start.advanced(to: 1e12, elapsed: 0) == RetentionTime(time: 1_086_400, calendar: 1e12))
        // A machine without a clock of its own begins in 1970 each time, and is put right then.
        var time = start
        for _ in 0..<10 {
            time = time.advanced(to: 0, elapsed: 5)
            time = time.advanced(to: start.time + 3_600, elapsed: 5)
        }
        #expect(time.time <= start.time + 3_600 + 100)
    }
}
