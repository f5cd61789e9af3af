import CofferSQLite
import Testing

struct StatementTests {
    @Test func `every type comes back as it was bound`() throws {
        try withDatabase { connection in
            let insert = try connection.prepare("INSERT INTO note(value) VALUES(?1)")
            let long = String(repeating: "ü", count: 10_000)
            let bytes = [UInt8](0...255)
            try insert.bind(Int64.min, at: 1)
            try insert.run()
            try insert.bind(-0.5, at: 1)
            try insert.run()
            for text in ["", "short", "with\0zero", long] {
                try insert.bind(text, at: 1)
                try insert.run()
            }
            for blob in [[], bytes, Array(long.utf8)] {
                try insert.bind(blob, at: 1)
                try insert.run()
            }
            try insert.bindNull(at: 1)
            try insert.run()

            let select = try connection.prepare("SELECT value FROM note ORDER BY id")
            #expect(select.columnCount == 1)
            #expect(select.columnName(0) == "value")
            #expect(select.isReadOnly && !insert.isReadOnly)
            #expect(try select.step() && select.type(0) == .integer && select.int64(0) == .min)
            #expect(try select.step() && select.type(0) == .real && select.double(0) == -0.5)
            for text in ["", "short", "with\0zero", long] {
                #expect(try select.step() && select.type(0) == .text && select.text(0) == text)
            }
            for blob in [[], bytes, Array(long.utf8)] {
                #expect(try select.step() && select.type(0) == .blob && select.blob(0) == blob)
            }
            #expect(try select.step() && select.type(0) == .null && select.isNull(0))
            #expect(try !select.step())
        }
    }

    @Test func `a part of a run of bytes is bound and appended`() throws {
        try withDatabase { connection in
            let run = Array("onetwothree".utf8)
            let select = try connection.prepare("SELECT ?1, typeof(?1), ?2, typeof(?2)")
            try select.bindText(run, range: 3..<6, at: 1)
            try select.bindBlob(run, range: 6..<6, at: 2)
            #expect(try select.step())
            #expect(select.text(1) == "text" && select.text(3) == "blob")
            var bytes = Array("x".utf8)
            #expect(select.appendText(0, to: &bytes) == 3)
            #expect(select.appendBlob(2, to: &bytes) == 0)
            #expect(bytes == Array("xtwo".utf8))
            // Over what was there before, and beyond it.
            var (room, count) = (Array("abcd".utf8), 1)
            select.putText(0, into: &room, behind: &count)
            #expect(room == Array("atwo".utf8) && count == 4)
            count = 2
            select.putText(0, into: &room, behind: &count)
            select.putBlob(2, into: &room, behind: &count)
            #expect(room == Array("attwo".utf8) && count == 5)
        }
    }

    @Test func `parameters keep their values until they are bound anew or cleared`() throws {
        try withDatabase { connection in
            let select = try connection.prepare("SELECT ?1, ?2")
            try select.bind("first", at: 1)
            try select.bind("second", at: 2)
            try select.run()
            try select.bind("a value that is longer than the first buffer was", at: 1)
            #expect(try select.step())
            #expect(select.text(0) == "a value that is longer than the first buffer was")
            #expect(select.text(1) == "second")
            select.reset()
            select.clearBindings()
            #expect(try select.step() && select.isNull(0) && select.isNull(1))
        }
    }

    @Test func `nothing is bound while the statement stands on a row`() throws {
        try withDatabase { connection in
            let select = try connection.prepare("SELECT ?1 UNION ALL SELECT 2")
            try select.bind("one", at: 1)
            #expect(try select.step())
            #expect(throws: SQLiteError.self) { try select.bind("other", at: 1) }
            #expect(throws: SQLiteError.self) { try select.bind(Int64(7), at: 1) }
            #expect(select.text(0) == "one")
            #expect(try select.step() && select.int64(0) == 2)
        }
    }

    @Test func `a parameter that does not exist is refused`() throws {
        try withDatabase { connection in
            let select = try connection.prepare("SELECT ?1")
            for index in [-1, 0, 2, Int.max] {
                #expect(throws: SQLiteError.self) { try select.bind("text", at: index) }
            }
            #expect(throws: SQLiteError.self) { try select.bind(Int64(1), at: 2) }
        }
    }

    @Test func `one text holds exactly one statement`() throws {
        try withDatabase { connection in
            let statement = try connection.prepare("SELECT 1 ; \n")
            #expect(statement.columnCount == 1)
            for sql in ["", "  ", "SELECT 1; SELECT 2", "SELECT 1\0DROP TABLE note"] {
                #expect(throws: SQLiteError.self) { try connection.prepare(sql) }
            }
        }
    }

    @Test func `an error resets the statement`() throws {
        try withDatabase { connection in
            let insert = try connection.prepare("INSERT INTO note(id, value) VALUES(?1, 'x')")
            try insert.bind(Int64(1), at: 1)
            try insert.run()
            let error = #expect(throws: SQLiteError.self) { try insert.run() }
            guard case .constraint(1555, let message) = error else {
                Issue.record("not a broken primary key: \(String(describing: error))")
                return
            }
            #expect(message.contains("note.id"))
            try insert.bind(Int64(2), at: 1)
            try insert.run()
            #expect(try connection.count() == 2)
        }
    }

    @Test func `a statement keeps the file open after its connection`() throws {
        try withFolder { folder in
            var connection: SQLiteConnection? = try SQLiteConnection(path: folder + "/a.sqlite")
            let statement = try connection?.prepare("SELECT 'still here'")
            connection = nil
            #expect(try statement?.step() == true)
            #expect(statement?.text(0) == "still here")
        }
    }
}
