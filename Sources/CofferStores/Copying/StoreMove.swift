internal import CofferFormats
package import CofferLinux
package import CofferModel
internal import CofferSQLite

/// Takes a store to another type in its folder: its objects go into a new store, which then takes its name.
///
/// A value; used once, while nothing writes into the store. Both have files of their own names, so no
/// rename can exchange them. A note beside them, durable before the new file gets its name, says which of
/// them counts when both are there: the new one, which is whole then. So after a crash at any moment there
/// is the old store or the new one, once `finish` was called.
package struct StoreMove {
    private let name: String
    private let types: (old: StoreType, new: StoreType)
    private let folder: Folder
    private let configuration: String
    private let options: StoreOptions
    private var oldName: String { name + types.old.fileSuffix }
    private var newName: String { name + types.new.fileSuffix }

    /// A move of the store called `name`, without the end of its file's name.
    ///
    /// - Throws: `malformedRequest` if the types are the same, or one has no file.
    package init(
        of name: String, in folder: Folder, from old: StoreType, to new: StoreType, configuration: String,
        options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        try Self.check(from: old, to: new)
        (self.name, types, self.folder) = (name, (old, new), folder)
        (self.configuration, self.options) = (configuration, options)
    }

    /// Refuses types between which nothing is moved.
    ///
    /// - Throws: `malformedRequest` if the types are the same, or one has no file.
    package static func check(from old: StoreType, to new: StoreType) throws(StoreError) {
        guard old != new else { throw .malformedRequest("the store is of the type \(new.rawValue) already") }
        guard old != .memory, new != .memory else {
            throw .malformedRequest("a store in memory has no file")
        }
    }

    /// Moves the store, while no client has it open.
    ///
    /// - Parameters:
    ///   - progress: Told of objects copied and in all; `false` stops it.
    ///   - willSwitch: Called when the new store is whole and has no name yet.
    ///   - didSwitch: Called when it has its name, and the old one is still there.
    /// - Returns: What was made.
    /// - Throws: `lockedByOther` if the store is open; what `make` throws. Then the old store is as it was.
    package func run(
        progress: @escaping StoreCopy.Progress = { _, _ in true }, willSwitch: () -> Void = {},
        didSwitch: () -> Void = {}
    ) throws(StoreError) -> StoreCopy.Outcome {
        try Self.finish(name, in: folder)
        let outcome = try makeOfClosed(progress, willSwitch)
        didSwitch()
        // What cannot be removed now goes when the store is opened.
        try? Self.finish(name, in: folder)
        return outcome
    }

    private func makeOfClosed(
        _ progress: @escaping StoreCopy.Progress, _ willSwitch: () -> Void
    ) throws(StoreError) -> StoreCopy.Outcome {
        var opening = options
        (opening.type, opening.mustExist) = (types.old, true)
        let file = try StoreFile.open(
            in: folder, fileName: oldName, model: nil, configuration: configuration, options: opening)
        return try make(of: file, progress: progress, willSwitch: willSwitch)
    }

    /// Makes the new store of `file`, the old store, which is open in this process and is written no more;
    /// `finish` removes it once it is closed.
    ///
    /// - Parameters:
    ///   - file: The old store.
    ///   - progress: Told of objects copied and in all; `false` stops it.
    ///   - willSwitch: Called when the new store is whole and has no name yet.
    /// - Returns: What was made.
    /// - Throws: `alreadyExists` if there is a store of the new type beside it; `damaged` if values are
    ///   missing, which would go for good; what `StoreCopy` throws. Then the old store is as it was.
    package func make(
        of file: StoreFile, progress: @escaping StoreCopy.Progress = { _, _ in true },
        willSwitch: () -> Void = {}
    ) throws(StoreError) -> StoreCopy.Outcome {
        let problems = try file.integrityCheck(on: file.makeReader())
        if let problem = problems.first { throw .damaged(path: file.path, detail: problem) }
        try CopyPlace.requireFree(newName, in: folder)
        let note = Self.note(from: oldName, to: newName)
        try translatingSystem { () throws(LinuxError) in try folder.replace(note, with: []) }
        var copying = StoreCopy.Options()
        copying.opening.environment = options.environment
        copying.opening.atomicFault = options.atomicFault
        copying.opening.vfs = options.vfs
        do throws(StoreError) {
            return try StoreCopy(of: file, as: types.new, options: copying).run(
                as: newName, in: folder, progress: progress, willFinish: willSwitch)
        } catch {
            // What has the name now was made here; while it has it, the note says that it counts.
            _ = try StoreFile.remove(newName, in: folder)
            _ = try translatingSystem { () throws(LinuxError) in try folder.unlink(note) }
            throw error
        }
    }
}

extension StoreMove {
    private static let fileTypes = StoreType.allCases.filter { $0 != .memory }

    private static func note(from old: String, to new: String) -> String { ".\(old).to.\(new).move" }

    /// Ends what a crash has interrupted of moves of the store called `name`: of two files one stays.
    ///
    /// - Parameters:
    ///   - name: What the store is called, without the end of its file's name.
    ///   - folder: Where it is.
    ///   - wait: How long to wait for the old file to be closed.
    /// - Throws: `lockedByOther` if the old file is open; the process that has it open may be moving it.
    package static func finish(
        _ name: String, in folder: Folder, wait: Duration = .zero
    ) throws(StoreError) {
        for (old, new) in pairs {
            let (oldName, newName) = (name + old.fileSuffix, name + new.fileSuffix)
            let note = note(from: oldName, to: newName)
            guard try exists(note, in: folder) else { continue }
            var lock: LockFile?
            let isMade = try exists(newName, in: folder)
            if isMade {
                _ = try StoreFile.remove(oldName, in: folder, wait: wait)
            } else {
                lock = try translatingSystem { () throws(LinuxError) in
                    try LockFile.acquire(oldName + StoreFile.lockSuffix, in: folder, wait: wait)
                }
            }
            // What is beside a whole file that is in use already belongs to its next save.
            if !isMade || new == .sqlite { try StoreReplacement.removeRemains(of: newName, in: folder) }
            try translatingSystem { () throws(LinuxError) in
                try folder.unlink(note)
                try folder.synchronize()
            }
            withExtendedLifetime(lock) {}
        }
    }

    /// The type of the store called `name`, by its file; if a crash within a move has left two files, that
    /// of the file that counts.
    package static func type(of name: String, in folder: Folder) throws(StoreError) -> StoreType? {
        for (old, new) in pairs {
            let newName = name + new.fileSuffix
            guard try exists(note(from: name + old.fileSuffix, to: newName), in: folder) else { continue }
            return try exists(newName, in: folder) ? new : old
        }
        for type in fileTypes where try exists(name + type.fileSuffix, in: folder) { return type }
        return nil
    }

    private static func exists(_ name: String, in folder: Folder) throws(StoreError) -> Bool {
        try translatingSystem { () throws(LinuxError) in try folder.exists(name) }
    }

    private static let pairs = fileTypes.flatMap { old in fileTypes.filter { $0 != old }.map { (old, $0) } }
}
