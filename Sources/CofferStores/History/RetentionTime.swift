internal import CofferSQLite

/// The time by which history and its consumers age: the calendar's, as far as the calendar advances like time
/// itself.
///
/// A clock that is set to a wrong year, or corrected afterwards, would otherwise make all of them a year
/// older. So this time advances as the monotonic clock does, and follows a calendar that is ahead by at most
/// `Limits.retentionStep` at a time; it never goes back. It is stored in the file.
package struct RetentionTime: Equatable {
    /// Seconds since 2001-01-01 00:00 UTC, by a clock that never jumped.
    package private(set) var time: Double
    /// What the calendar said when it was last read.
    package private(set) var calendar: Double

    /// The time of a store that has none yet.
    package init(beginning now: Double) { (time, calendar) = (now, now) }

    package init(time: Double, calendar: Double) { (self.time, self.calendar) = (time, calendar) }

    /// The time when the calendar says `now`, and `elapsed` seconds have passed since it was last read, as
    /// far as that is known.
    package func advanced(to now: Double, elapsed: Double) -> RetentionTime {
        let gone = min(max(elapsed, 0), Limits.retentionStep)
        // A larger difference means that it was not read for a while, the machine slept, or the clock was
        // set.
        let ahead = min(now - calendar, now - time, Limits.retentionStep)
        return RetentionTime(time: time + max(gone, ahead), calendar: now)
    }

    /// Whether it differs from `other` by enough to be stored.
    func isFar(from other: RetentionTime) -> Bool {
        abs(time - other.time) >= Limits.retentionMark
            || abs(calendar - other.calendar) >= Limits.retentionMark
    }
}

extension RetentionTime {
    /// Starts the time of a new store; inside the transaction.
    static func begin(now: Double, on connection: SQLiteConnection) throws(SQLiteError) {
        let statement = try connection.prepare(
            "INSERT INTO COFFER_STATE(name, value) VALUES('retention_time', ?1), ('retention_calendar', ?1), (?2, 0)"
        )
        try statement.bind(now, at: 1)
        try statement.bind(Self.mark(at: now), at: 2)
        try statement.run()
    }

    /// The name of the marks in `COFFER_STATE` that say which transaction was the last at a time.
    fileprivate static func mark(at time: Double) -> String {
        "retention_mark:\(Int64(exactly: time.rounded(.down)) ?? 0)"
    }
}

extension StoreWriter {
    /// The time by which history ages.
    ///
    /// It is stored, with the number that history has come to, if it has advanced since; inside the
    /// transaction.
    func ageHistory(now: Double) throws(SQLiteError) -> RetentionTime {
        let kept = try keptRetentionTime()
        let present = retentionTime(after: kept, now: now)
        if let kept, !present.isFar(from: kept) { return present }
        let statement = try connection.cached(
            "INSERT OR REPLACE INTO COFFER_STATE(name, value) "
                + "VALUES('retention_time', ?1), ('retention_calendar', ?2), (?3, ?4)")
        try statement.bind(present.time, at: 1)
        try statement.bind(present.calendar, at: 2)
        try statement.bind(RetentionTime.mark(at: present.time), at: 3)
        try statement.bind(Int64(clamping: lastTransaction), at: 4)
        try statement.run()
        retentionLook = file.environment.elapsed()
        return present
    }

    /// The time by which history ages, without storing anything.
    func retentionTime(now: Double) throws(SQLiteError) -> RetentionTime {
        retentionTime(after: try keptRetentionTime(), now: now)
    }

    private func retentionTime(after kept: RetentionTime?, now: Double) -> RetentionTime {
        let elapsed = retentionLook.map { file.environment.elapsed() - $0 } ?? 0
        return kept?.advanced(to: now, elapsed: elapsed) ?? RetentionTime(beginning: now)
    }

    private func keptRetentionTime() throws(SQLiteError) -> RetentionTime? {
        let statement = try connection.cached(
            "SELECT value, (SELECT value FROM COFFER_STATE WHERE name = 'retention_calendar') "
                + "FROM COFFER_STATE WHERE name = 'retention_time'")
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return RetentionTime(time: statement.double(0), calendar: statement.double(1))
    }

    /// The last transaction that is older than history is kept, 0 if there is none; removes marks that it
    /// makes useless.
    func lastOldTransaction(at time: RetentionTime) throws(SQLiteError) -> Int64 {
        let mark = try connection.cached(
            "SELECT max(CAST(substr(name, 16) AS INTEGER)), max(value) FROM COFFER_STATE "
                + "WHERE name GLOB 'retention_mark:*' AND CAST(substr(name, 16) AS INTEGER) <= ?1")
        try mark.bind(time.time - Limits.historyAge, at: 1)
        let isThere = try mark.step()
        let found = isThere && mark.type(0) != .null ? (time: mark.int64(0), number: mark.int64(1)) : nil
        mark.reset()
        guard let found else { return 0 }
        let older = try connection.cached(
            "DELETE FROM COFFER_STATE WHERE name GLOB 'retention_mark:*' AND CAST(substr(name, 16) AS INTEGER) < ?1"
        )
        try older.bind(found.time, at: 1)
        try older.run()
        return found.number
    }
}
