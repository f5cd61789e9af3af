internal import CofferFormats
package import CofferLinux
package import CofferModel
internal import CofferSQLite

/// Takes a store to another type in its folder: its objects go into a new store, which then takes its name.
///
/// A value; used once, while nobody has the store open. Both have files of their own names, so no rename can
/// exchange them. A note beside them, durable before the new file gets its name, says which of them counts
/// when both are there: the new one, which is whole then. So after a crash at any moment there is the old
/// store or the new one, once `finish` was called.
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
    /// - Throws: `malformedRequest` where the types are the same, or one has no file.
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
    /// - Throws: `malformedRequest` where the types are the same, or one has no file.
    package static func check(from old: StoreType, to new: StoreType) throws(StoreError) {
        guard old != new else { throw .malformedRequest("the store is of the type \(new.rawValue) already") }
        guard old != .memory, new != .memory else {
            throw .malformedRequest("a store in memory has no file")
        }
    }

    /// Moves it.
    ///
    /// - Parameters:
    ///   - progress: Told of objects copied and in all; `false` stops it.
    ///   - willSwitch: Called when the new store is whole and has no name yet.
    ///   - didSwitch: Called when it has its name, and the old one is still there.
    /// - Returns: What was made.
    /// - Throws: `lockedByOther` where somebody has the store open; `damaged` where values are missing, which
    ///   would go for good; what `StoreCopy` throws. Then the old store is as it was.
    package func run(
        progress: @escaping StoreCopy.Progress = { _, _ in true }, willSwitch: () -> Void = {},
        didSwitch: () -> Void = {}
    ) throws(StoreError) -> StoreCopy.Outcome {
        try Self.finish(name, in: folder)
        let note = Self.note(from: oldName, to: newName)
        let outcome: StoreCopy.Outcome
        do throws(StoreError) {
            outcome = try copy(progress, noting: note, willSwitch)
        } catch {
            try translatingSystem { () throws(LinuxError) in
                if try !folder.exists(newName) { try folder.unlink(note) }
            }
            throw error
        }
        didSwitch()
        // What cannot be removed now goes when the store is opened.
        try? Self.finish(name, in: folder)
        return outcome
    }

    private func copy(
        _ progress: @escaping StoreCopy.Progress, noting note: String, _ willSwitch: () -> Void
    ) throws(StoreError) -> StoreCopy.Outcome {
        var opening = options
        (opening.type, opening.mustExist) = (types.old, true)
        let file = try StoreFile.open(
            in: folder, fileName: oldName, model: nil, configuration: configuration, options: opening)
        let problems = try file.integrityCheck(on: file.makeReader())
        if let problem = problems.first { throw .damaged(path: file.path, detail: problem) }
        try translatingSystem { () throws(LinuxError) in try folder.replace(note, with: []) }
        var copying = StoreCopy.Options()
        copying.opening.environment = options.environment
        copying.opening.atomicFault = options.atomicFault
        copying.opening.vfs = options.vfs
        return try StoreCopy(of: file, as: types.new, options: copying).run(
            as: newName, in: folder, progress: progress, willFinish: willSwitch)
    }
}

extension StoreMove {
    private static let fileTypes = StoreType.allCases.filter { $0 != .memory }

    private static func note(from old: String, to new: String) -> String { ".\(old).to.\(new).move" }

    /// Ends what a crash has interrupted of moves of the store called `name`: of two files one stays.
    ///
    /// Nobody may have the store open, or be about to move it.
    /// - Throws: `lockedByOther` where somebody has the file open that is to go.
    package static func finish(_ name: String, in folder: Folder) throws(StoreError) {
        for old in fileTypes {
            for new in fileTypes where new != old {
                let (oldName, newName) = (name + old.fileSuffix, name + new.fileSuffix)
                let note = note(from: oldName, to: newName)
                guard try translatingSystem({ () throws(LinuxError) in try folder.exists(note) }) else {
                    continue
                }
                let isNewThere = try translatingSystem { () throws(LinuxError) in
                    try folder.exists(newName)
                }
                if isNewThere { _ = try StoreFile.remove(oldName, in: folder) }
                try StoreReplacement.removeRemains(of: newName, in: folder)
                try translatingSystem { () throws(LinuxError) in
                    try folder.unlink(note)
                    try folder.synchronize()
                }
            }
        }
    }
}
