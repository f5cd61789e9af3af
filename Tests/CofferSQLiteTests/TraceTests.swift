import CofferSQLite
import Testing

struct TraceTests {
    @Test func `a traced statement tells its rows and changes, and no value`() throws {
        try withDatabase { connection in
            let told = try traced(connection) {
                let insert = try connection.prepare("INSERT INTO note(value) VALUES(?1)")
                try insert.bind("o'hara's secret", at: 1)
                try insert.run()
                let select = try connection.prepare("SELECT ?1 FROM note")
                try select.bind("secret", at: 1)
                try select.run()
            }
            let insert = try #require(told.first { $0.sql.hasPrefix("INSERT") })
            #expect(insert.changes == 1 && insert.rows == 0)
            let select = try #require(told.first { $0.sql.hasPrefix("SELECT") })
            #expect(select.rows == 1 && select.changes == 0)
            #expect(!"\(told)".contains("secret"))
            #expect(told.allSatisfy { $0.duration > .zero && $0.plan.isEmpty })
        }
    }

    @Test func `inserts in a row are told as one, before the next statement`() throws {
        try withDatabase { connection in
            let told = try traced(connection) {
                try connection.begin()
                for number in 0..<50 { try connection.insert("\(number)") }
                try connection.commit()
            }
            #expect(told.map(\.runs) == [1, 50, 1])
            #expect(told.map(\.changes) == [0, 50, 0])
            #expect(told[2].sql == "COMMIT")
        }
    }

    @Test func `a statement that changes nothing has none of the changes of the one before`() throws {
        try withDatabase { connection in
            try connection.insert("a")
            let told = try traced(connection) {
                try connection.begin(.immediate)
                try connection.execute("UPDATE note SET value = 'b' WHERE value = 'none'")
                try connection.execute("UPDATE note SET value = 'b'")
                try connection.commit()
            }
            #expect(told.map(\.changes) == [0, 0, 1, 0])
        }
    }

    @Test func `a trace tells plans where it is asked for them`() throws {
        try withDatabase { connection in
            try connection.insert("a")
            let told = try traced(connection, withPlans: true) {
                let select = try connection.prepare("SELECT value FROM note WHERE id = ?1")
                try select.bind(Int64(1), at: 1)
                for _ in 0..<3 { try select.run() }
            }
            #expect(told.count == 3)
            #expect(told.allSatisfy { $0.plan.first?.contains("SEARCH") ?? false && $0.rows == 1 })
        }
    }

    @Test func `a statement that is left on a row tells no time that its reader took`() throws {
        try withDatabase { connection in
            for text in ["a", "b", "c"] { try connection.insert(text) }
            let told = try traced(connection) {
                let outer = try connection.prepare("SELECT value FROM note")
                #expect(try outer.step())
                let inner = try connection.prepare(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT MAX(i) FROM n"
                )
                try inner.run()
                outer.reset()
            }
            #expect(told.map(\.rows) == [1, 1])
            #expect(told[1].duration < told[0].duration, "the outer one waited for the inner")
        }
    }

    @Test func `triggers are part of the statement that fires them`() throws {
        try withDatabase { connection in
            try connection.execute("CREATE TABLE log(value)")
            try connection.execute(
                "CREATE TRIGGER t AFTER INSERT ON note BEGIN INSERT INTO log VALUES(new.value); END")
            let told = try traced(connection) { try connection.insert("a") }
            #expect(told.count == 1 && told[0].changes == 1)
        }
    }

    @Test func `a trace that is off tells nothing`() throws {
        try withDatabase { connection in
            let told = traced(connection, withPlans: true) { connection.trace(nil) }
            try connection.insert("a")
            #expect(told.isEmpty)
        }
    }

    private func traced(
        _ connection: SQLiteConnection, withPlans: Bool = false, _ body: () throws -> Void
    ) rethrows -> [SQLiteExecution] {
        var told: [SQLiteExecution] = []
        connection.trace(withPlans: withPlans) { told.append($0) }
        try body()
        connection.trace(nil)
        return told
    }
}
