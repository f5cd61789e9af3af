internal import CofferFormats
internal import CofferLinux
internal import CofferSQLite
internal import FoundationEssentials

/// The values of a copy of a store that are in files beside the store.
///
/// A value. A file is written once and keeps its name for good, so that files of equal name and length are
/// equal.
struct BackupValues {
    private let file: StoreFile
    private let folder: Folder
    private let fileName: String
    private let values: FiledValues
    private var names: Set<String> = []
    private var written: [String] = []
    /// Bytes of all files.
    private(set) var byteCount = 0

    private var place: String { SupportFolder(of: fileName).values }
    private var sourcePlace: String { SupportFolder(of: file.fileName).values }

    /// Those of `file`, for a copy that will be called `fileName` in `folder`.
    init(from file: StoreFile, to fileName: String, in folder: Folder) {
        (self.file, self.fileName, self.folder) = (file, fileName, folder)
        values = FiledValues(columns: file.schema.externalColumns, path: file.path)
    }

    /// Puts the values into the copy; `false` if a file has gone.
    mutating func moveIn(to copy: SQLiteConnection) throws(StoreError) -> Bool {
        for row in try values.rows(in: copy) {
            guard let source = try open(row.name) else { return false }
            _ = try values.move(row, from: source, to: copy)
        }
        return true
    }

    /// Copies the files that rows of the copy name; `false` if one has gone.
    mutating func copyBeside(those copy: SQLiteConnection) throws(StoreError) -> Bool {
        names.formUnion(try values.rows(in: copy).map(\.name))
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

    /// Removes the files of a copy that was replaced; if another store has its values there, too, all files
    /// stay.
    func removeOthers() {
        do throws(LinuxError) {
            guard try folder.exists(place), try !ExternalFiles.isShared(with: fileName, in: folder) else {
                return
            }
            let target = try folder.folder(place)
            for name in try target.names() where !names.contains(name) && UUID(uuidString: name) != nil {
                try target.unlink(name)
            }
        } catch {
            return  // The copy is whole without that, and the next one of its name tries again.
        }
    }

    private func open(_ name: String) throws(StoreError) -> OwnedDescriptor? {
        try values.open("\(sourcePlace)/\(name)", in: file.folder)
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
