internal import CofferFormats
internal import CofferLinux
internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

/// The files beside a store that hold large values of attributes which allow that, as Core Data makes them.
///
/// A value. In the row stands `02`, the name of the file, and `00`; a value that is in the row has `01`
/// before it.
struct ExternalFiles: Sendable {
    let folder: Folder
    let storePath: String
    /// Where the values of rows are, below `folder`: what Core Data reads.
    let place: String
    /// Where values wait for the commit of their rows.
    ///
    /// It has the store's whole name: two stores may share the folder above.
    let pendingPlace: String

    /// Those of a store's file in `folder`; there may be none.
    init(of fileName: String, in folder: Folder) {
        self.folder = folder
        storePath = "\(folder.path)/\(fileName)"
        place = SupportFolder(of: fileName).values
        pendingPlace = Self.pendingPlace(of: fileName)
    }

    private static func pendingPlace(of fileName: String) -> String {
        "\(SupportFolder(of: fileName).name)/_PENDING_\(fileName)"
    }

    /// The content of a file; `nil` if the row names no file of ours, or one that is not there.
    ///
    /// - Throws: `tooLarge` if it does not fit into a message, and what the system says if it cannot be
    ///   read.
    func bytesIfThere(named name: String) throws(StoreError) -> [UInt8]? {
        UUID(uuidString: name) == nil ? nil : try bytes(at: "\(place)/\(name)")
    }

    /// The content of a file.
    ///
    /// - Throws: `damaged` if `bytesIfThere` finds none; what that throws.
    func bytes(named name: String) throws(StoreError) -> [UInt8] {
        guard UUID(uuidString: name) != nil else {
            throw .damaged(
                path: storePath,
                detail: "a value is in the file '\(name)', which is not a name that such files have")
        }
        guard let bytes = try bytesIfThere(named: name) else {
            throw .damaged(path: "\(folder.path)/\(place)/\(name)", detail: "the file of a value is missing")
        }
        return bytes
    }

    /// The content of the file of a row that may not be committed yet; `nil` if there is none.
    func bytesEvenPending(named name: String) throws(StoreError) -> [UInt8]? {
        if UUID(uuidString: name) != nil, let bytes = try bytes(at: "\(pendingPlace)/\(name)") {
            return bytes
        }
        return try bytesIfThere(named: name)
    }

    private func bytes(at path: String) throws(StoreError) -> [UInt8]? {
        do throws(LinuxError) {
            return try folder.openFile(path).readAll(limit: CofferWire.Limits.message)
        } catch .bufferFull(let limit) {
            throw .tooLarge("the file '\(path)' of a value has more than \(limit >> 20) MiB")
        } catch .malformed {
            return nil  // A folder or a link is the file of no value.
        } catch {
            if error.isNotFound { return nil }
            throw StoreError(error)
        }
    }

    /// What is wrong with the files that rows name; values themselves are not read.
    func problems(_ schema: SQLSchema, on connection: SQLiteConnection) throws(StoreError) -> [String] {
        var problems: [String] = []
        for column in schema.externalColumns {
            let names = try translating { () throws(SQLiteError) in
                try connection.prepare(
                    "SELECT \(ExternalData.name(in: column.name)) FROM \(column.table) "
                        + "WHERE \(ExternalData.isFile(column.name))")
            }
            while problems.count < Limits.fileProblems,
                try translating({ () throws(SQLiteError) in try names.step() })
            {
                let name = names.text(0)
                let facts = try translatingSystem { () throws(LinuxError) in
                    UUID(uuidString: name) == nil ? nil : try folder.facts(of: "\(place)/\(name)")
                }
                if facts?.kind != .file { problems.append("the file '\(name)' of a value is missing") }
            }
        }
        return problems
    }

    /// Removes all of a store's files beside it.
    ///
    /// Two stores whose names differ only in their ends share the folder, as in Core Data. If there is
    /// another store, its values stay. The values of this one stay too, since it is no longer known which
    /// they are.
    static func removeAll(of fileName: String, in folder: Folder) throws(LinuxError) {
        let support = SupportFolder(of: fileName).name
        guard try folder.exists(support) else { return }
        try folder.removeAll(
            try isShared(with: fileName, in: folder) ? pendingPlace(of: fileName) : support)
    }

    /// Whether another store than that of `fileName` has its values in the same folder.
    static func isShared(with fileName: String, in folder: Folder) throws(LinuxError) -> Bool {
        let support = SupportFolder(of: fileName)
        for name in try folder.names() where name != fileName && SupportFolder(of: name) == support {
            // No file is opened that SQLite, or a process that has a store open, has locks on.
            if StoreFile.companionSuffixes.contains(where: name.hasSuffix) { continue }
            guard try folder.facts(of: name)?.kind == .file else { continue }
            if try isDatabase(name, in: folder) { return true }
        }
        return false
    }

    /// Whether a file is one of SQLite's, or cannot be looked into.
    ///
    /// SQLite looks into the file: other code that opens and closes a store which this process has open
    /// removes the locks on it.
    private static func isDatabase(_ name: String, in folder: Folder) throws(LinuxError) -> Bool {
        let path = try folder.procPath(name)
        do throws(SQLiteError) {
            let vfs = try SQLiteVFS(isSealed: true)
            let connection = try SQLiteConnection(
                path: path, name: name, keeping: folder, mode: .readOnly, vfs: vfs)
            // An empty file is a database without anything.
            return try connection.pragma("schema_version") != "0"
        } catch .notADatabase {
            return false
        } catch {
            return true
        }
    }
}
