internal import CofferFormats
internal import CofferLinux
internal import CofferModel
internal import CofferSQLite

/// What room and time a migration takes, by the pages that it writes; writes nothing.
///
/// Confined with its connection, which is of the file as it is before.
struct MigrationCost {
    let layout: MigrationLayout
    let connection: SQLiteConnection
    let file: StoreFile
    /// Bytes of a page.
    private let pageByteCount: Int
    /// Pages that are written in their place.
    private(set) var changedPages = 0
    /// Pages of tables and indexes that are made again, and by which others grow.
    private(set) var newPages = 0
    /// Pages that are free before anything is made.
    private var freePages = 0
    /// Bytes of files beside the store that are new.
    private var filedBytes = 0
    /// Pages of the largest index that is made: it is sorted in a temporary file.
    private var largestIndex = 0

    init(_ layout: MigrationLayout, of file: StoreFile, on connection: SQLiteConnection) throws(StoreError) {
        (self.layout, self.file, self.connection) = (layout, file, connection)
        pageByteCount = try translating { () throws(SQLiteError) in
            Int(try connection.pragma("page_size") ?? "") ?? Limits.pageByteCount
        }
        try translating { () throws(SQLiteError) in
            freePages = Int(try connection.pragma("freelist_count") ?? "") ?? 0
            for table in layout.tables { try add(table) }
            try addNewIndexes()
            try addJoins()
            try addBesides()
        }
        try addFiles()
    }

    /// Bytes at most that it takes on the disk while it runs, beside what is there.
    ///
    /// All that is written stands in the log until it is whole, and then in the file as well, which grows by
    /// what has no room in it. `keepsCopy` says whether a copy of before is kept beside the store.
    func byteCount(keepsCopy: Bool) throws(StoreError) -> Int {
        let pages = try translating { () throws(SQLiteError) in
            Int(try connection.pragma("page_count") ?? "") ?? 0
        }
        let frames = file.journal == .wal ? changedPages + newPages : changedPages
        let log = (frames + Limits.migrationPages) * (pageByteCount + Limits.frameHeaderBytes)
        let growth = max(0, newPages - freePages) * pageByteCount
        let sorted = largestIndex * pageByteCount
        let copy = keepsCopy ? try pages * pageByteCount + filedByteCount() : 0
        return log + growth + filedBytes + copy + (sorted > Limits.cacheBytes ? sorted : 0)
    }

    /// About how many seconds it takes; 0 if no row changes.
    ///
    /// What becomes of the rows is tried with some of each table. What is written comes to the disk twice.
    func seconds(by clock: () -> Double) throws(StoreError) -> Double {
        try translating { () throws(SQLiteError) in
            var seconds = 0.0
            for table in layout.tables where table.isWritten {
                seconds += try self.seconds(for: table, by: clock)
            }
            if seconds == 0 { return 0 }
            let written = 2 * (changedPages + newPages) * pageByteCount + filedBytes
            return seconds + Double(written) / Limits.migrationBytesPerSecond
        }
    }

    private func seconds(
        for table: TableMigration, by clock: () -> Double
    ) throws(SQLiteError) -> Double {
        guard let origin = table.origin else { return 0 }
        let rows = try number("SELECT count(*) FROM main.\(origin.name)")
        if rows == 0 { return 0 }
        // Values that move between rows and files count by their bytes.
        let values = table.columns.map { $0.value.sql() }.filter {
            !$0.contains(MigrationSQL.toFile) && !$0.contains(MigrationSQL.toRow)
        }
        let list = (["+Z_PK", "Z_OPT"] + values).joined(separator: ", ")
        let start = clock()
        // DISTINCT lets SQLite write each row into a tree, as the migration does.
        _ = try number(
            "SELECT count(*) FROM (SELECT DISTINCT \(list) FROM main.\(origin.name) "
                + "LIMIT \(Limits.migrationSample))")
        let elapsed = clock() - start
        let indexes = try number(
            "SELECT count(*) FROM main.sqlite_master WHERE type = 'index' AND tbl_name = '\(origin.name)'")
        let times = Double(rows) / Double(min(rows, Limits.migrationSample))
        return elapsed * times * (Limits.migrationTimes.row + Double(indexes) * Limits.migrationTimes.index)
    }
}

// MARK: Pages

extension MigrationCost {
    private mutating func add(_ table: TableMigration) throws(SQLiteError) {
        guard let origin = table.origin, table.isWritten else { return }
        let rows = try pages(of: origin.name)
        let indexes = try pages(where: "type = 'index' AND tbl_name = '\(origin.name)'")
        let texts = try pages(
            where: "type = 'table' AND name GLOB '\(TextIndex.prefix)\(origin.name)*'")
        if table.way == .copied {
            newPages += rows.sum + indexes.sum
            // Indexes are dropped before, so that what is made has their room.
            freePages += indexes.sum
            largestIndex = max(largestIndex, indexes.largest)
        } else {
            changedPages += rows.sum + indexes.sum
            if table.grows { newPages += rows.sum / 2 }
        }
        newPages += texts.sum
    }

    /// Indexes that the tables which stay do not have yet.
    private mutating func addNewIndexes() throws(SQLiteError) {
        let present = Set(layout.source.indexStatements.map(SQLName.ofIndex))
        let tables = Dictionary(layout.tables.map { ($0.table.name, $0) }) { first, _ in first }
        for statement in layout.destination.indexStatements
        where !present.contains(SQLName.ofIndex(statement)) {
            let target = statement.split(separator: " ON ", maxSplits: 1).last
            guard let name = target?.split(separator: " ").first,
                let origin = tables[String(name)]?.origin
            else { continue }
            let columns = statement.count(where: { $0 == "," }) + 1
            let rows = try number("SELECT count(*) FROM main.\(origin.name)")
            let made = rows * (columns * Limits.indexedValueBytes + 8) / pageByteCount + 1
            newPages += made
            largestIndex = max(largestIndex, made)
        }
    }

    private mutating func addJoins() throws(SQLiteError) {
        for pair in layout.pairs where pair.isRelinked || pair.join?.isChanged ?? false {
            if let name = pair.join?.origin.name {
                newPages += try pages(where: "tbl_name = '\(name)'").sum
            }
            if !pair.isRelinked { continue }
            // The links are written into the rows of both ends, or into a table of their own.
            for source in pair.sources {
                guard let sql = source.sql(in: layout.source) else { continue }
                let links = try number("SELECT count(*) FROM (\(sql))")
                newPages += 3 * links * Limits.indexedValueBytes / pageByteCount + 1
            }
        }
    }

    /// Adds the pages of history and of the exact digits of decimals, if they name what changes.
    private mutating func addBesides() throws(SQLiteError) {
        if HistoryMigration(layout).changesRows { changedPages += try pages(of: "ACHANGE").sum }
        guard layout.hasDigits, layout.movesRows else { return }
        let digits = try pages(of: "COFFER_DECIMAL").sum
        changedPages += digits
        newPages += digits
    }

    /// Pages of one table or index, with those of long values.
    private func pages(of name: String) throws(SQLiteError) -> (sum: Int, largest: Int) {
        try pages(where: "name = '\(name)'")
    }

    private func pages(where condition: String) throws(SQLiteError) -> (sum: Int, largest: Int) {
        let statement = try connection.prepare("SELECT name FROM main.sqlite_master WHERE \(condition)")
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        var (sum, largest) = (0, 0)
        for name in names {
            let count = try pageCount(of: name)
            sum += count
            largest = max(largest, count)
        }
        // Trees that this SQLite does not tell apart have all pages together.
        return (min(sum, Int(try connection.pragma("page_count") ?? "") ?? sum), largest)
    }

    /// Pages of a tree; all of the file's if this SQLite does not tell them apart.
    private func pageCount(of name: String) throws(SQLiteError) -> Int {
        let hasStatistics = try connection.prepare(
            "SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'"
        ).step()
        if !hasStatistics { return Int(try connection.pragma("page_count") ?? "") ?? 0 }
        let statement = try connection.prepare(
            "SELECT pageno FROM dbstat('main', 1) WHERE name = ?1")
        try statement.bind(name, at: 1)
        return try statement.step() ? Int(statement.int64(0)) : 0
    }

    private func number(_ sql: String) throws(SQLiteError) -> Int {
        let statement = try connection.prepare(sql)
        return try statement.step() ? Int(statement.int64(0)) : 0
    }
}

// MARK: Files

extension MigrationCost {
    /// Values that move between rows and files.
    private mutating func addFiles() throws(StoreError) {
        for table in layout.tables {
            guard let origin = table.origin else { continue }
            for column in table.columns {
                guard let home = column.homes.first else { continue }
                let value = column.value.sql()
                if value.contains(MigrationSQL.toFile) {
                    let moved = try translating { () throws(SQLiteError) in
                        try number(
                            "SELECT sum(length(\(home))) FROM main.\(origin.name) "
                                + "WHERE length(\(home)) > \(Limits.inlineValueBytes)")
                    }
                    filedBytes += moved
                    // What goes leaves its pages, which are not written.
                    if table.way == .altered { changedPages = max(1, changedPages - moved / pageByteCount) }
                    if table.way == .copied { newPages = max(1, newPages - moved / pageByteCount) }
                } else if value.contains(MigrationSQL.toRow) {
                    newPages += try filedByteCount() / pageByteCount + 1
                }
            }
        }
    }

    /// Bytes of all files with values beside the store.
    private func filedByteCount() throws(StoreError) -> Int {
        if layout.source.externalColumns.isEmpty { return 0 }
        return try translatingSystem { () throws(LinuxError) in
            let values: Folder
            do throws(LinuxError) {
                values = try file.folder.folder(SupportFolder(of: file.fileName).values)
            } catch {
                if error.isNotFound { return 0 }
                throw error
            }
            var sum = 0
            for name in try values.names() {
                if let facts = try values.facts(of: name), facts.kind == .file { sum += facts.byteCount }
            }
            return sum
        }
    }
}

extension TableMigration {
    /// Whether rows are written.
    fileprivate var isWritten: Bool { way == .copied || changesRows }

    /// Whether rows that stay in their place get values that may be longer than those of before.
    fileprivate var grows: Bool { columns.contains { !$0.changedNumbers.isEmpty } }
}
