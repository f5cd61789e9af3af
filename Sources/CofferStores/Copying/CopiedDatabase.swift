internal import CofferFormats
internal import CofferLinux
internal import CofferModel
internal import CofferSQLite

/// The file of SQLite that a copy of a store becomes.
struct CopiedDatabase {
    private let copy: StoreCopy
    private let fileName: String
    private let folder: Folder
    /// What it is called until it is whole.
    private let newName: String

    init(_ copy: StoreCopy, _ fileName: String, in folder: Folder) {
        (self.copy, self.fileName, self.folder) = (copy, fileName, folder)
        newName = StoreReplacement.copyName(of: fileName)
    }

    func run(
        _ progress: @escaping StoreCopy.Progress, willFinish: () -> Void
    ) throws(StoreError) -> StoreCopy.Outcome {
        try StoreReplacement.removeRemains(of: fileName, in: folder)
        let lock: LockFile
        do throws(LinuxError) {
            lock = try LockFile.acquire(newName + StoreFile.lockSuffix, in: folder)
        } catch {
            if case .locked = error { throw .copyUnderWay(path: folder.path(of: fileName)) }
            throw StoreError(error)
        }
        do throws(StoreError) {
            let outcome = try fill(lock, progress)
            if copy.options.isPlain { try makePlain() }
            willFinish()
            try takePlace()
            try StoreReplacement.removeCopy(of: fileName, in: folder)
            withExtendedLifetime(lock) {}
            return outcome
        } catch {
            // The first error is the one to tell; what is left now goes the next time.
            try? StoreReplacement.removeCopy(of: fileName, in: folder)
            throw error
        }
    }

    private func fill(
        _ lock: LockFile, _ progress: @escaping StoreCopy.Progress
    ) throws(StoreError) -> StoreCopy.Outcome {
        var options = copy.options.opening
        options.type = .sqlite
        let store = try StoreFile.openDatabase(
            in: folder, fileName: newName, model: copy.file.model, configuration: copy.configuration,
            options: options, lockedBy: lock)
        let outcome = try copy.fill(store, shift: { _ in KeyShift() }, progress)
        let problems = try store.makeWriter().integrityCheck()
        if let problem = problems.first { throw .damaged(path: store.path, detail: problem) }
        return outcome
    }

    private func makePlain() throws(StoreError) {
        let path = try translatingSystem { () throws(LinuxError) in try folder.procPath(newName) }
        try translating { () throws(SQLiteError) in
            var vfs = copy.options.opening.vfs
            if vfs == nil { vfs = try SQLiteVFS() }
            let connection = try SQLiteConnection(
                path: path, name: folder.path(of: fileName), keeping: folder, mode: .readWrite, vfs: vfs)
            try PlainFile.make(of: connection)
            _ = try connection.checkpoint(mode: .truncate)
            try connection.vacuum()
        }
    }

    /// Gives the copy its name, with its values first: a crash leaves values that belong to nothing, which go
    /// with the next store of that name.
    private func takePlace() throws(StoreError) {
        do throws(LinuxError) {
            try folder.openFile(newName).synchronize()
            let moved = try moveValues()
            do throws(LinuxError) {
                try StoreFile.removeLogs(of: fileName, in: folder)
                try folder.rename(newName, to: fileName, replacing: false)
            } catch {
                for value in moved { try folder.unlink(value) }
                throw error
            }
            try folder.synchronize()
        } catch {
            throw error.isTaken ? .alreadyExists(path: folder.path(of: fileName)) : StoreError(error)
        }
    }

    /// Moves the files of values to where the copy has them by its name; says where they are then.
    private func moveValues() throws(LinuxError) -> [String] {
        let (from, to) = (SupportFolder(of: newName).values, SupportFolder(of: fileName).values)
        guard try folder.exists(from) else { return [] }
        let target = try folder.makeFolders(to)
        var moved: [String] = []
        for name in try folder.folder(from).names() {
            try folder.rename("\(from)/\(name)", to: "\(to)/\(name)", replacing: false)
            moved.append("\(to)/\(name)")
        }
        try target.synchronize()
        return moved
    }
}
