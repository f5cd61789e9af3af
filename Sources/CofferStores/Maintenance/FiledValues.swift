internal import CofferLinux
internal import CofferSQLite
internal import FoundationEssentials

/// The values of a copy of a store that are in files, on their way into the rows that name them.
struct FiledValues {
    /// A row whose value is in a file.
    struct Row {
        let column: SQLExternalColumn
        let key: Int64
        let name: String
    }

    let columns: [SQLExternalColumn]
    /// What errors call the store.
    let path: String

    /// The rows of the copy whose values are in files.
    ///
    /// - Throws: `damaged` if a row names something that cannot be such a file.
    func rows(in copy: SQLiteConnection) throws(StoreError) -> [Row] {
        var rows: [Row] = []
        for column in columns {
            rows += try translating { () throws(SQLiteError) in
                let statement = try copy.prepare(
                    "SELECT Z_PK, \(column.name) FROM \(column.table) WHERE hex(substr(\(column.name), 1, 1)) = '02'"
                )
                var rows: [Row] = []
                while try statement.step() {
                    let name = statement.blob(1).dropFirst().prefix { $0 != 0 }
                    rows.append(
                        Row(
                            column: column, key: statement.int64(0),
                            name: String(decoding: name, as: UTF8.self)))
                }
                return rows
            }
        }
        for row in rows where UUID(uuidString: row.name) == nil {
            throw .damaged(
                path: path,
                detail: "a value is in the file '\(row.name)', which is not a name that such files have")
        }
        return rows
    }

    /// The file of a value; `nil` if there is none.
    func open(_ name: String, in folder: Folder) throws(StoreError) -> OwnedDescriptor? {
        do throws(LinuxError) {
            let source = try folder.openBeneath(name, [.nonBlocking])
            return try source.facts().kind == .file ? source : nil
        } catch {
            if error.isNotFound { return nil }
            throw StoreError(error)
        }
    }

    /// Puts the content of a file into its row; says how many bytes.
    func move(_ row: Row, from source: OwnedDescriptor, to copy: SQLiteConnection) throws(StoreError) -> Int {
        let bytes = try translatingSystem { () throws(LinuxError) in
            try source.read(upTo: try source.facts().byteCount, at: 0)
        }
        try translating { () throws(SQLiteError) in
            let statement = try copy.cached(
                "UPDATE \(row.column.table) SET \(row.column.name) = ?1 WHERE Z_PK = ?2")
            try statement.bind(ExternalData.inlineMark + bytes, at: 1)
            try statement.bind(row.key, at: 2)
            try statement.run()
        }
        return bytes.count
    }
}
