internal import CofferContainer
internal import CofferMerge
internal import CofferSQLite
internal import CofferStores

/// The journal of a store's conflicts in its own file, `COFFER_CONFLICT`.
///
/// It is bounded by time, count and bytes: the oldest go first.
struct ConflictTable {
    private let connection: SQLiteConnection

    static let table =
        "CREATE TABLE IF NOT EXISTS COFFER_CONFLICT (number INTEGER PRIMARY KEY, noted INTEGER, "
        + "kind VARCHAR, entity VARCHAR, object BLOB, property VARCHAR, lost BLOB, kept BLOB, "
        + "undone INTEGER)"

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Whether there is one.
    var exists: Bool {
        get throws(SQLiteError) {
            try connection.hasTable("COFFER_CONFLICT")
        }
    }
}

extension ConflictTable {
    /// Notes conflicts, and lets go of what is too old or too much.
    func note(_ conflicts: [SyncConflict], at now: WallTime) throws(StoreError) {
        let tables = ReplicaTables(connection: connection)
        let last = try ReplicaTables.translating { () throws(SQLiteError) in
            try connection.execute(Self.table)
            return try tables.integer(.lastConflict) ?? 0
        }
        // Of more than the journal has room for the later ones stay.
        let kept = conflicts.suffix(Limits.conflicts)
        for (place, conflict) in kept.enumerated() {
            let (lost, remained): ([UInt8], [UInt8])
            do throws(ObjectFault) {
                lost = try RegisterContent.bytes(of: conflict.lost)
                remained = conflict.kept.isEmpty ? [] : try RegisterContent.bytes(of: conflict.kept)
            } catch {
                // An object of many long texts: what stays of it is in the rows.
                continue
            }
            try ReplicaTables.translating { () throws(SQLiteError) in
                try insert(
                    conflict, number: last + Int64(place) + 1, lost: lost, kept: remained, at: now)
            }
        }
        try ReplicaTables.translating { () throws(SQLiteError) in
            try tables.keep(.lastConflict, last + Int64(kept.count))
            try shrink(at: now)
        }
    }

    private func insert(
        _ conflict: SyncConflict, number: Int64, lost: [UInt8], kept: [UInt8], at now: WallTime
    ) throws(SQLiteError) {
        let statement = try connection.cached(
            "INSERT OR REPLACE INTO COFFER_CONFLICT"
                + "(number, noted, kind, entity, object, property, lost, kept, undone) "
                + "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0)")
        defer { statement.reset() }
        try statement.bind(number, at: 1)
        try statement.bind(now.microseconds, at: 2)
        try statement.bind(conflict.kind.rawValue, at: 3)
        try statement.bind(conflict.entity, at: 4)
        try statement.bind(conflict.object.bytes, at: 5)
        try statement.bind(conflict.property, at: 6)
        try statement.bind(lost, at: 7)
        try statement.bind(kept, at: 8)
        try statement.run()
    }

    /// Whether there are conflicts that are too old.
    func hasOld(at now: WallTime) throws(SQLiteError) -> Bool {
        guard try exists else { return false }
        let old = try connection.prepare("SELECT 1 FROM COFFER_CONFLICT WHERE noted < ?1 LIMIT 1")
        try old.bind(now.microseconds - Limits.conflictMicroseconds, at: 1)
        return try old.step()
    }

    /// Lets go of what is too old.
    func forgetOld(at now: WallTime) throws(SQLiteError) {
        let old = try connection.cached("DELETE FROM COFFER_CONFLICT WHERE noted < ?1")
        defer { old.reset() }
        try old.bind(now.microseconds - Limits.conflictMicroseconds, at: 1)
        try old.run()
    }

    private func shrink(at now: WallTime) throws(SQLiteError) {
        try forgetOld(at: now)
        // From the newest on as many as there is room for.
        let sizes = try connection.prepare(
            "SELECT number, length(lost) + length(kept) FROM COFFER_CONFLICT ORDER BY number DESC")
        var (count, byteCount) = (0, Int64(0))
        var first: Int64?
        while try sizes.step() {
            (count, byteCount) = (count + 1, byteCount + sizes.int64(1))
            if count > Limits.conflicts || byteCount > Limits.conflictByteCount {
                first = sizes.int64(0)
                break
            }
        }
        sizes.reset()
        guard let first else { return }
        let many = try connection.prepare("DELETE FROM COFFER_CONFLICT WHERE number <= ?1")
        try many.bind(first, at: 1)
        try many.run()
    }
}

extension ConflictTable {
    /// Conflicts after a number, the oldest first, as many as one message has room for; and whether there are
    /// more.
    func conflicts(
        after number: UInt64, limit: Int
    ) throws(StoreError) -> (found: [NotedConflict], hasMore: Bool) {
        let statement = try ReplicaTables.translating { () throws(SQLiteError) in
            let statement = try connection.prepare(
                "SELECT number, noted, kind, entity, object, property, lost, kept, undone "
                    + "FROM COFFER_CONFLICT WHERE number > ?1 ORDER BY number")
            try statement.bind(Int64(clamping: number), at: 1)
            return statement
        }
        var found: [NotedConflict] = []
        var byteCount = 0
        while try ReplicaTables.translating({ () throws(SQLiteError) in try statement.step() }) {
            let (lost, kept) = (statement.blob(6), statement.blob(7))
            byteCount += lost.count + kept.count
            if found.count == limit || byteCount > Limits.conflictBytesRead && !found.isEmpty {
                return (found, true)
            }
            guard let kind = SyncConflict.Kind(rawValue: statement.text(2)),
                let object = RecordID(bytes: statement.blob(4)),
                // What a later version wrote is passed over.
                let lost = try? RegisterContent.registers(in: lost, from: .ownFile),
                let kept = kept.isEmpty ? [] : try? RegisterContent.registers(in: kept, from: .ownFile)
            else { continue }
            found.append(
                NotedConflict(
                    number: UInt64(clamping: statement.int64(0)),
                    noted: WallTime(microseconds: statement.int64(1)), isUndone: statement.int64(8) != 0,
                    conflict: SyncConflict(
                        kind, of: object, statement.text(3), property: statement.text(5), lost: lost,
                        kept: kept)))
        }
        return (found, false)
    }

    /// One conflict; `nil` if it is not there, or not any more.
    func conflict(_ number: UInt64) throws(StoreError) -> NotedConflict? {
        let before = number > 0 ? number - 1 : 0
        return try conflicts(after: before, limit: 1).found.first { $0.number == number }
    }

    /// Notes that one was undone.
    func markUndone(_ number: UInt64) throws(StoreError) {
        try ReplicaTables.translating { () throws(SQLiteError) in
            let statement = try connection.prepare("UPDATE COFFER_CONFLICT SET undone = 1 WHERE number = ?1")
            try statement.bind(Int64(clamping: number), at: 1)
            try statement.run()
        }
    }
}
