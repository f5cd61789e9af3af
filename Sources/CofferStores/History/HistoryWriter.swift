internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

/// Writes transactions and their changes into a store's history, and keeps count.
///
/// Confined to the writer. Counters are in memory; those in the file run ahead of them and are written when
/// they are reached, so that a save costs three statements and a row for each change. At the start, and
/// after a transaction that was lost or that another program wrote, the rows themselves tell where counting
/// continues.
final class HistoryWriter {
    /// The counters at some point, to go back to.
    struct Mark {
        fileprivate let transaction: Int64
        fileprivate let change: Int64
        fileprivate let string: Int64
        fileprivate let pending: Int
    }

    /// The counters that the file has, or will have with the open transaction.
    private struct Counters {
        var transaction: Int64 = 0
        var change: Int64 = 0
        var string: Int64 = 0
    }

    /// A value in the form in which SQLite has it.
    enum Value {
        case null
        case integer(Int64)
        case real(Double)
        case text([UInt8])
        case blob([UInt8])
    }

    /// One deleted object, with the values that history keeps of it.
    struct Tombstone {
        var key: Int64
        var values: [Value]
    }

    /// The names that a transaction records.
    private struct Names: Equatable {
        let author: String
        let bundle: String
        let context: String
        let process: String

        init(of message: TransactionMessage) {
            author = message.author
            bundle = message.application
            context = message.contextName
            process = message.process
        }
    }

    private let connection: SQLiteConnection
    private let path: String
    private let insertTransaction: SQLiteStatement
    private let insertOwn: SQLiteStatement
    private let insertChange: SQLiteStatement
    private let numbers: EntityNumbers
    /// Finds and adds names, if the file has a table of them; otherwise they stand in the transactions.
    private let strings: (find: SQLiteStatement, insert: SQLiteStatement)?
    private let readCounters: SQLiteStatement
    private let writeCounters: SQLiteStatement
    private var tombstones: [Int: SQLiteStatement] = [:]
    private var transaction: Int64 = 0
    private var change: Int64 = 0
    private var string: Int64 = 0
    private var written = Counters()
    private var names: [String: Int64] = [:]
    /// The names whose keys `insertTransaction` has bound: mostly the next transaction has the same ones.
    private var boundNames: Names?
    private var pending: [String] = []

    /// Creates a writer over the one connection that writes to the file at `path`, whose entities have
    /// `numbers`.
    init(
        _ connection: SQLiteConnection, path: String, numbers: EntityNumbers, hasStrings: Bool
    ) throws(SQLiteError) {
        self.connection = connection
        self.path = path
        self.numbers = numbers
        let suffix = hasStrings ? "TS" : ""
        let names = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"].map { $0 + suffix }
        insertTransaction = try connection.prepare(
            "INSERT INTO ATRANSACTION(Z_PK, Z_ENT, \(names.joined(separator: ", ")), ZTIMESTAMP) "
                + "VALUES(?1, \(FixedTables.transactionEntity), ?2, ?3, ?4, ?5, ?6)")
        // A number is reused if another program removed the last transactions from the history.
        insertOwn = try connection.prepare(
            "INSERT OR REPLACE INTO \(FixedTables.transactionTable)(number, first, client, sequence, reply) "
                + "VALUES(?1, ?2, ?3, ?4, ?5)")
        insertChange = try connection.prepare(
            "INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) "
                + "VALUES(?1, \(FixedTables.changeEntity), ?2, ?3, ?4, ?5, ?6)")
        let insertion =
            "INSERT INTO ATRANSACTIONSTRING(Z_PK, Z_ENT, ZNAME) VALUES(?1, \(FixedTables.stringEntity), ?2)"
        strings =
            hasStrings
            ? (
                try connection.prepare("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?1"),
                try connection.prepare(insertion)
            ) : nil
        readCounters = try connection.prepare(
            "SELECT Z_ENT, Z_MAX, CASE Z_ENT "
                + "WHEN \(FixedTables.changeEntity) THEN (SELECT max(Z_PK) FROM ACHANGE) "
                + "WHEN \(FixedTables.transactionEntity) THEN (SELECT max(Z_PK) FROM ATRANSACTION) END "
                + "FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN \(FixedTables.changeEntity) AND \(FixedTables.stringEntity)"
        )
        writeCounters = try connection.prepare(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = CASE Z_ENT WHEN \(FixedTables.changeEntity) THEN ?1 "
                + "WHEN \(FixedTables.transactionEntity) THEN ?2 ELSE ?3 END "
                + "WHERE Z_ENT BETWEEN \(FixedTables.changeEntity) AND \(FixedTables.stringEntity)")
        try load()
    }

    /// The number of the last transaction, written or about to be.
    var lastTransaction: UInt64 { UInt64(max(0, transaction)) }

    /// The number that the next transaction gets.
    var nextTransaction: UInt64 { lastTransaction + 1 }

    /// Reads the counters, and drops names that were not committed.
    ///
    /// - Throws: `SQLiteError.corrupt` if a counter leaves no room for further numbers.
    func load() throws(SQLiteError) {
        for name in pending { names[name] = nil }
        pending.removeAll()
        boundNames = nil
        defer { readCounters.reset() }
        while try readCounters.step() {
            let ceiling = readCounters.int64(1)
            let value = readCounters.type(2) == .null ? ceiling : readCounters.int64(2)
            guard max(value, ceiling) < Limits.historyNumber else {
                throw .corrupt(path: path, message: "history has counted up to \(max(value, ceiling))")
            }
            switch Int(readCounters.int64(0)) {
            case FixedTables.changeEntity: (change, written.change) = (value, ceiling)
            case FixedTables.transactionEntity: (transaction, written.transaction) = (value, ceiling)
            default: (string, written.string) = (value, ceiling)
            }
        }
    }

    func mark() -> Mark {
        Mark(transaction: transaction, change: change, string: string, pending: pending.count)
    }

    /// Goes back to `mark`, as the database has done.
    func restore(_ mark: Mark) {
        (transaction, change, string) = (mark.transaction, mark.change, mark.string)
        boundNames = nil
        while pending.count > mark.pending { names[pending.removeLast()] = nil }
    }

    /// Writes the counters that were reached, with some reserve ahead of them; the last step before the
    /// commit.
    func flush() throws(SQLiteError) {
        guard transaction > written.transaction || change > written.change || string > written.string
        else { return }
        if transaction > written.transaction {
            written.transaction = transaction + Limits.reservedTransactions
        }
        if change > written.change { written.change = change + Limits.reservedChanges }
        written.string = max(string, written.string)
        try writeCounters.bind(written.change, at: 1)
        try writeCounters.bind(written.transaction, at: 2)
        try writeCounters.bind(written.string, at: 3)
        try writeCounters.run()
    }

    /// Records that the commit succeeded.
    func didCommit() {
        pending.removeAll()
        if names.count > Limits.internedNames { names.removeAll() }
    }
}

extension HistoryWriter {
    /// Makes the next transaction have a number above `number`.
    func skip(to number: UInt64) { transaction = max(transaction, Int64(clamping: number)) }

    /// Begins the next transaction, and returns its number.
    ///
    /// If `request` is given, its packed reply is stored with the transaction, in case it is sent again.
    func begin(
        _ message: TransactionMessage, request: (id: RequestIDMessage, reply: [UInt8])? = nil
    ) throws(SQLiteError) -> UInt64 {
        transaction += 1
        try insertTransaction.bind(transaction, at: 1)
        try bind(Names(of: message))
        try insertTransaction.bind(message.timestamp, at: 6)
        try insertTransaction.run()
        try insertOwn.bind(transaction, at: 1)
        try insertOwn.bind(change + 1, at: 2)
        if let request {
            try insertOwn.bind(request.id.client, at: 3)
            try insertOwn.bind(Int64(bitPattern: request.id.sequence), at: 4)
            try insertOwn.bind(request.reply, at: 5)
        } else {
            for place in 3...5 { try insertOwn.bindNull(at: place) }
        }
        try insertOwn.run()
        return lastTransaction
    }

    /// Writes one row for each object of `group`; `columns` is what changed, for updates.
    func write(_ group: ChangeGroup, columns: [UInt8]?) throws(SQLiteError) {
        try insertChange.bind(Int64(group.kind.rawValue), at: 2)
        try insertChange.bind(Int64(numbers[group.entity]), at: 3)
        try insertChange.bind(transaction, at: 5)
        if let columns { try insertChange.bind(columns, at: 6) } else { try insertChange.bindNull(at: 6) }
        for key in group.primaryKeys {
            change += 1
            try insertChange.bind(change, at: 1)
            try insertChange.bind(key, at: 4)
            try insertChange.run()
        }
    }

    /// Writes one row for each deleted object of an entity whose values history preserves.
    func write(_ deleted: [Tombstone], entity: Int, count: Int) throws(SQLiteError) {
        let statement: SQLiteStatement
        if let known = tombstones[count] {
            statement = known
        } else {
            let names = (0..<count).map { ", ZTOMBSTONE\($0)" }.joined()
            let marks = (0..<count).map { ", ?\($0 + 5)" }.joined()
            statement = try connection.prepare(
                "INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID\(names)) "
                    + "VALUES(?1, \(FixedTables.changeEntity), 2, ?2, ?3, ?4\(marks))")
            tombstones[count] = statement
        }
        for tombstone in deleted {
            change += 1
            try statement.bind(change, at: 1)
            try statement.bind(Int64(numbers[entity]), at: 2)
            try statement.bind(tombstone.key, at: 3)
            try statement.bind(transaction, at: 4)
            for (place, value) in tombstone.values.prefix(count).enumerated() {
                try value.bind(to: statement, at: place + 5)
            }
            try statement.run()
        }
    }

    /// Binds the keys of the next transaction's names, if they differ from the last one's.
    private func bind(_ names: Names) throws(SQLiteError) {
        if names == boundNames { return }
        boundNames = nil
        try bind(names.author, at: 2)
        try bind(names.bundle, at: 3)
        try bind(names.context, at: 4)
        try bind(names.process, at: 5)
        boundNames = names
    }

    private func bind(_ name: String, at place: Int) throws(SQLiteError) {
        if name.isEmpty { return try insertTransaction.bindNull(at: place) }
        guard let strings else { return try insertTransaction.bind(name, at: place) }
        try insertTransaction.bind(
            try intern(name, finding: strings.find, inserting: strings.insert), at: place)
    }

    /// The key of a name in history's table of strings.
    private func intern(
        _ name: String, finding find: SQLiteStatement, inserting insert: SQLiteStatement
    ) throws(SQLiteError) -> Int64 {
        if let key = names[name] { return key }
        try find.bind(name, at: 1)
        if try find.step() {
            let key = find.int64(0)
            find.reset()
            names[name] = key
            // The name may have been added in this very transaction, by a save that is undone later.
            pending.append(name)
            return key
        }
        string += 1
        try insert.bind(string, at: 1)
        try insert.bind(name, at: 2)
        try insert.run()
        names[name] = string
        pending.append(name)
        return string
    }
}
