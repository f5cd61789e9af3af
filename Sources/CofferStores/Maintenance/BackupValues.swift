internal import CofferLinux
internal import CofferSQLite
internal import FoundationEssentials

/// The values of a copy of a store that are in files beside the store.
///
/// A value. A file is written once and has its name for good, so that one of the same name and length is the same.
struct BackupValues {
    private let file: StoreFile
    private let folder: Folder
    private let fileName: String
    private let columns: [SQLExternalColumn]
    private var names: Set<String> = []
    private var written: [String] = []
    /// Bytes of all files.
    private(set) var byteCount = 0

    private var place: String { "\(ExternalFiles.supportFolder(of: fileName))/_EXTERNAL_DATA" }
    private var sourcePlace: String { "\(ExternalFiles.supportFolder(of: file.fileName))/_EXTERNAL_DATA" }

    /// Those of `file`, for a copy that will be called `fileName` in `folder`.
    init(from file: StoreFile, to fileName: String, in folder: Folder) {
        (self.file, self.fileName, self.folder) = (file, fileName, folder)
        columns = file.schema.externalColumns
    }

    /// Puts the values into the copy; `false` where a file has gone.
    mutating func moveIn(to copy: SQLiteConnection) throws(StoreError) -> Bool {
        for column in columns {
            for (key, name) in try rows(of: column, in: copy) {
                guard let source = try open(name) else { return false }
                let bytes = try translatingSystem { () throws(LinuxError) in
                    try source.read(upTo: try source.facts().byteCount, at: 0)
                }
                try translating { () throws(SQLiteError) in
                    let statement = try copy.cached(
                        "UPDATE \(column.table) SET \(column.name) = ?1 WHERE Z_PK = ?2")
                    try statement.bind(ExternalData.inlineMark + bytes, at: 1)
                    try statement.bind(key, at: 2)
                    try statement.run()
                }
            }
        }
        return true
    }

    /// Copies the files that rows of the copy name; `false` where one has gone.
    mutating func copyBeside(those copy: SQLiteConnection) throws(StoreError) -> Bool {
        for column in columns { names.formUnion(try rows(of: column, in: copy).map(\.name)) }
        for name in names.sorted() {
            guard let source = try open(name) else { return false }
            do throws(LinuxError) { try self.copy(source, name) } catch { throw StoreError(error) }
        }
        if !written.isEmpty {
            try translatingSystem { () throws(LinuxError) in try folder.folder(place).synchronize() }
        }
        return true
    }

    /// Takes away what was written, since there is to be no copy.
    func remove() throws(LinuxError) {
        for name in written { try folder.unlink("\(place)/\(name)") }
        guard !written.isEmpty, try folder.folder(place).names().isEmpty else { return }
        try ExternalFiles.removeAll(of: fileName, in: folder)
    }

    /// Takes away the files of a copy that was replaced; where another store has its values there, too, all stay.
    func removeOthers() throws(StoreError) {
        try translatingSystem { () throws(LinuxError) in
            guard try folder.exists(place), try !ExternalFiles.isShared(with: fileName, in: folder) else {
                return
            }
            let target = try folder.folder(place)
            for name in try target.names() where !names.contains(name) && UUID(uuidString: name) != nil {
                try target.unlink(name)
            }
        }
    }

    private func rows(
        of column: SQLExternalColumn, in copy: SQLiteConnection
    ) throws(StoreError) -> [(key: Int64, name: String)] {
        let rows = try translating { () throws(SQLiteError) in
            let statement = try copy.prepare(
                "SELECT Z_PK, \(column.name) FROM \(column.table) WHERE hex(substr(\(column.name), 1, 1)) = '02'"
            )
            var rows: [(key: Int64, name: String)] = []
            while try statement.step() {
                let name = statement.blob(1).dropFirst().prefix { $0 != 0 }
                rows.append((statement.int64(0), String(decoding: name, as: UTF8.self)))
            }
            return rows
        }
        for (_, name) in rows where UUID(uuidString: name) == nil {
            throw .damaged(
                path: file.path, detail: "a value is in the file '\(name)', which is no name of one")
        }
        return rows
    }

    private func open(_ name: String) throws(StoreError) -> OwnedDescriptor? {
        do throws(LinuxError) {
            let source = try file.folder.openBeneath("\(sourcePlace)/\(name)", [.nonBlocking])
            return try source.facts().kind == .file ? source : nil
        } catch {
            if error.isNotFound { return nil }
            throw StoreError(error)
        }
    }

    private mutating func copy(_ source: OwnedDescriptor, _ name: String) throws(LinuxError) {
        let target = try folder.makeFolders(place)
        let facts = try source.facts()
        byteCount += facts.byteCount
        if let present = try target.facts(of: name), present.byteCount == facts.byteCount { return }
        let part = try PartFile(".\(name).part", in: target)
        do throws(LinuxError) {
            try part.descriptor.writeAll(of: source)
            written.append(name)
            try part.finish(as: name, replacing: true)
        } catch {
            try part.remove()
            throw error
        }
    }
}
