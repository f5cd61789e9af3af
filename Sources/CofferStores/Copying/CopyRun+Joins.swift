internal import CofferModel
internal import CofferSQLite

extension CopyRun {
    func copy(_ join: CopyJoin) throws(StoreError) {
        let columns = join.ends.map(\.source) + join.orders.map(\.source)
        let targets = join.ends.map(\.target) + join.orders.map(\.target)
        let marks = targets.indices.map { "?\($0 + 1)" }
        let (rows, insertion) = try translating { () throws(SQLiteError) in
            (
                try source.connection.prepare(
                    "SELECT \(columns.joined(separator: ", ")) FROM \(join.source)"),
                try connection.prepare(
                    "INSERT INTO \(join.target) (\(targets.joined(separator: ", "))) "
                        + "VALUES (\(marks.joined(separator: ", ")))")
            )
        }
        try inPieces(rows) { () throws(StoreError) in
            for (index, end) in join.ends.enumerated() {
                let key = try shifted(rows.int64(index), in: end.entity)
                try translating { () throws(SQLiteError) in try insertion.bind(key, at: index + 1) }
            }
            for index in join.orders.indices {
                let column = join.ends.count + index
                do throws(SQLiteError) { _ = try bind(rows, column, to: insertion, at: column + 1) } catch {
                    throw StoreError(error)
                }
            }
            try insert(insertion)
            return 16
        }
    }

    /// Copies the digits of decimals that their numbers cannot say.
    func copyDigits() throws(StoreError) {
        guard source.facts.tables.contains("COFFER_DECIMAL") else { return }
        for table in tables.tables {
            for field in table.fields where field.kind == .value {
                let (rows, insertion) = try translating { () throws(SQLiteError) in
                    let rows = try source.connection.cached(
                        "SELECT key, digits FROM COFFER_DECIMAL WHERE relation = ?1 AND property = ?2")
                    try rows.bind(table.name, at: 1)
                    try rows.bind(field.source, at: 2)
                    let insertion = try connection.cached(
                        "INSERT INTO COFFER_DECIMAL(relation, property, key, digits) VALUES(?1, ?2, ?3, ?4)")
                    try insertion.bind(table.name, at: 1)
                    try insertion.bind(field.target, at: 2)
                    return (rows, insertion)
                }
                try inPieces(rows) { () throws(StoreError) in
                    let key = try shifted(rows.int64(0), in: table.root)
                    try translating { () throws(SQLiteError) in
                        try insertion.bind(key, at: 3)
                        try insertion.bind(rows.text(1), at: 4)
                        try insertion.run()
                    }
                    return 64
                }
            }
        }
    }

    /// Has the copy give out keys that the store never gave out.
    func copyKeys() throws(StoreError) {
        for (root, last) in try source.lastKeys() {
            guard let entity = target.model.entity(named: root), last > 0 else { continue }
            let last = try shifted(last, in: entity.index)
            try translating { () throws(SQLiteError) in
                let statement = try connection.cached("UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2")
                try statement.bind(last, at: 1)
                try statement.bind(Int64(target.numbers[entity.index]), at: 2)
                try statement.run()
            }
        }
    }

    /// Runs `body` for each row, and commits now and then, so that no log grows.
    func inPieces(
        _ rows: SQLiteStatement, _ body: () throws(StoreError) -> Int
    ) throws(StoreError) {
        defer { rows.reset() }
        var hasMore = true
        while hasMore {
            try translating { () throws(SQLiteError) in try connection.begin(.immediate) }
            do throws(StoreError) {
                var (count, byteCount) = (0, 0)
                while count < Limits.copiedRows, byteCount < Limits.copiedBytes {
                    hasMore = try translating { () throws(SQLiteError) in try rows.step() }
                    if !hasMore { break }
                    byteCount += try body()
                    count += 1
                }
                try translating { () throws(SQLiteError) in try connection.commit() }
            } catch {
                // The first error is the one to tell; nothing of the copy stays.
                try? connection.rollback()
                throw error
            }
            try tell()
        }
    }
}
