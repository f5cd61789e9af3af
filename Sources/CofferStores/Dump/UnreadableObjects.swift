internal import CofferModel
internal import CofferSQLite

/// The objects that a reader of a damaged file has to leave out.
package struct UnreadableObjects: Sendable {
    /// Sentences that say which, `Limits.toldItems` at most.
    package private(set) var texts: [String] = []
    /// How many places there are behind which reading went on.
    package private(set) var count = 0
    /// How many single objects are among them; the objects of the other places cannot be counted.
    package private(set) var objectCount = 0

    /// Records that nothing of an entity can be read at a key, and finds where it can be again.
    ///
    /// A page of a table holds the rows of some keys that follow one another. So keys are tried at growing
    /// distances, and then between the last that failed and the first that did not.
    /// - Parameters:
    ///   - entity: The entity.
    ///   - start: The first key that may be unreadable; `nil` if none was read.
    ///   - error: What reading said.
    ///   - connection: The one that reads.
    /// - Returns: The key to go on with; `nil` if nothing behind can be read.
    mutating func add(
        _ entity: DumpEntity, from start: Int64?, _ error: StoreError, on connection: SQLiteConnection
    ) -> Int64? {
        let search = ReadableKeys(entity, on: connection)
        let start = start ?? search.first
        if search.canRead(from: start) { return start }
        if let row = search.row(from: start) {
            // The row's own page is well, and one behind it is not.
            if row.isOwn { add(row.key, of: entity, error) }
            return row.key == .max ? nil : row.key + 1
        }
        guard let end = search.readable(behind: start) else {
            tell(
                "'\(entity.name)': the objects from \(entity.name)/p\(start) on, an unknown number, are left out: \(error)"
            )
            return nil
        }
        tell(
            "'\(entity.name)': the objects from \(entity.name)/p\(start) to \(entity.name)/p\(end - 1), an unknown number "
                + "of at most \(end - start), are left out: \(error)")
        return end
    }

    /// Records one object.
    mutating func add(_ key: Int64, of entity: DumpEntity, _ error: StoreError) {
        objectCount += 1
        tell("'\(entity.name)/p\(key)' is left out: \(error)")
    }

    private mutating func tell(_ text: String) {
        count += 1
        if texts.count < Limits.toldItems { texts.append(text) }
    }
}

/// Tries which rows of a table can be read.
///
/// Confined with the connection. Whatever fails counts as unreadable.
private struct ReadableKeys {
    private let entity: DumpEntity
    private let connection: SQLiteConnection
    /// The last key that the store has given out to any object.
    private let last: Int64

    init(_ entity: DumpEntity, on connection: SQLiteConnection) {
        (self.entity, self.connection) = (entity, connection)
        last = Self.last(on: connection)
    }

    private static func last(on connection: SQLiteConnection) -> Int64 {
        let sql = "SELECT max(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT < \(FixedTables.changeEntity)"
        do throws(SQLiteError) {
            let statement = try connection.prepare(sql)
            return try statement.step() ? statement.int64(0) : 0
        } catch {
            return Int64(Int32.max)  // A damaged counter: as far as a store is likely to go.
        }
    }

    /// The first key that any object has.
    var first: Int64 { 1 }

    /// Whether all of the next row can be read; a row that is not there counts as read.
    func canRead(from key: Int64) -> Bool {
        do throws(SQLiteError) {
            let statement = try connection.prepare(entity.sqlOfAll)
            try statement.bind(key, at: 1)
            _ = try statement.step()
            return true
        } catch {
            return false
        }
    }

    /// The next row, as far as it is in the page of its key; `nil` if that cannot be read or is not there.
    func row(from key: Int64) -> (key: Int64, isOwn: Bool)? {
        do throws(SQLiteError) {
            guard let statement = try keys(from: key), try statement.step() else { return nil }
            return (statement.int64(0), statement.int64(1) == Int64(entity.table.number))
        } catch {
            return nil
        }
    }

    private func keys(from key: Int64) throws(SQLiteError) -> SQLiteStatement? {
        let statement = try connection.prepare(
            "SELECT Z_PK, Z_ENT FROM \(entity.table.name) WHERE Z_PK >= ?1 ORDER BY Z_PK LIMIT 1")
        try statement.bind(key, at: 1)
        return statement
    }

    private func hasReadablePage(at key: Int64) -> Bool {
        do throws(SQLiteError) {
            _ = try keys(from: key)?.step()
            return true
        } catch {
            return false
        }
    }

    /// The first key behind `start` whose page can be read, as far as trying finds it; `nil` for none.
    func readable(behind start: Int64) -> Int64? {
        var (failed, step) = (start, Int64(1))
        for _ in 0..<Limits.triedKeys {
            guard failed < last else { return nil }
            let key = min(last, failed.addingReportingOverflow(step).partialValue)
            if hasReadablePage(at: key) { return between(failed, key) }
            failed = key
            // Large steps would pass over what can be read between two damaged pages.
            step = min(2 * step, Limits.longestKeyStep)
        }
        return hasReadablePage(at: last) ? between(failed, last) : nil
    }

    private func between(_ failed: Int64, _ readable: Int64) -> Int64 {
        var (failed, readable) = (failed, readable)
        while readable - failed > 1 {
            let middle = failed + (readable - failed) / 2
            if hasReadablePage(at: middle) { readable = middle } else { failed = middle }
        }
        return readable
    }
}

extension StoreError {
    /// Whether some pages of a file cannot be read, and others may.
    var isOfUnreadablePages: Bool {
        switch self {
        case .damaged, .io: true
        default: false
        }
    }
}
