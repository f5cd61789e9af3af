internal import CofferFormats
package import CofferLinux
internal import CofferModel
internal import CofferSQLite

/// The file of a store that is migrated object by object, and the new one that is to take its place.
///
/// Confined; used once. Both are locked: the old file is drained of its log and only read, the new one is
/// beside it under a name of its own until it is whole. Whatever dies leaves the old store, or all of the
/// new one; what is left of a copy goes when the store is opened, removed or migrated the next time.
package final class MigrationCopy {
    /// The store as it was, which is only read; `nil` once the copy is to take its place.
    package private(set) var source: StoreFile?
    /// The store as it will be; `nil` once it is to take its place.
    package private(set) var destination: StoreFile?

    /// How long the code that fills the copy may take to let go of the files.
    package var patience = Duration.zero

    let folder: Folder
    let fileName: String
    let configuration: String
    let options: StoreOptions
    let model: StoreModel
    /// The model of the old store, for one that keeps none.
    private let sourceModel: StoreModel?
    /// The old store, open for what has to be noted in it.
    var held: StoreFile?
    let lock: LockFile
    let copyLock: LockFile

    /// What the new file is called until it takes the place of the old one.
    var copyName: String { StoreReplacement.copyName(of: fileName) }

    /// Opens the store `fileName` in `folder`, and makes an empty one of the new model beside it.
    ///
    /// - Throws: What opening a store for writing does; `unknownModel` if it keeps none; `unshareable` for
    ///   one that several machines share.
    package init(
        of fileName: String, in folder: Folder, to model: StoreModel,
        configuration: String = ManagedObjectModel.defaultConfiguration, options: StoreOptions
    ) throws(StoreError) {
        (self.folder, self.fileName, self.configuration) = (folder, fileName, configuration)
        (self.model, sourceModel) = (model, options.migration?.source)
        var opening = options
        opening.mustExist = true
        opening.migration = nil
        self.options = opening
        let isThere = try translatingSystem { () throws(LinuxError) in try folder.exists(fileName) }
        guard isThere else { throw .notFound(path: folder.path(of: fileName)) }
        lock = try StoreLock.acquire(
            fileName, in: folder, path: folder.path(of: fileName), patience: options.patience)
        try StoreReplacement.removeRemains(of: fileName, in: folder)
        do throws(LinuxError) {
            copyLock = try LockFile.acquire(
                StoreReplacement.copyName(of: fileName) + StoreFile.lockSuffix, in: folder)
        } catch {
            if case .locked = error { throw .copyUnderWay(path: folder.path(of: fileName)) }
            throw StoreError(error)
        }
        do throws(StoreError) {
            try open()
        } catch {
            abandon()
            throw error
        }
    }

    deinit { abandon() }

    private func open() throws(StoreError) {
        let file = try openSource()
        if file.isModelGuessed { throw .unknownModel(path: file.path) }
        if file.isReadOnly { throw file.readOnlyError }
        try checkNotShared(file)
        try file.makeWriter().checkpointFully()
        held = file
        var reading = options
        reading.isReadOnly = true
        reading.vfs = nil
        source = try StoreFile.openDatabase(
            in: folder, fileName: fileName, model: nil, configuration: configuration, options: reading)
        var making = options
        making.mustExist = false
        making.type = .sqlite
        making.isUnderConstruction = true
        // All of it is brought to the disk before it gets its name.
        making.pragmas["synchronous"] = "normal"
        destination = try StoreFile.openDatabase(
            in: folder, fileName: copyName, model: model, configuration: configuration, options: making,
            lockedBy: copyLock)
    }

    /// Opens the old store by the model that it keeps, else by the one that it is said to have, which it
    /// keeps from then on.
    private func openSource() throws(StoreError) -> StoreFile {
        do throws(StoreError) {
            return try StoreFile.openDatabase(
                in: folder, fileName: fileName, model: nil, configuration: configuration, options: options,
                lockedBy: lock)
        } catch .unknownModel where sourceModel != nil {
            return try StoreFile.openDatabase(
                in: folder, fileName: fileName, model: sourceModel, configuration: configuration,
                options: options, lockedBy: lock)
        }
    }

    /// Refuses a shared store: every machine would make objects of its own, and then receive those of all
    /// others.
    private func checkNotShared(_ file: StoreFile) throws(StoreError) {
        let reader = try file.makeReader()
        let isShared = try translating { () throws(SQLiteError) in
            guard try reader.hasTable("COFFER_RECORD") else { return false }
            return try reader.prepare("SELECT 1 FROM COFFER_RECORD").step()
        }
        guard isShared else { return }
        throw .unshareable(
            path: file.path,
            detail: "the mapping model makes new objects, and each machine would make its own: migrate it "
                + "without policies, by renaming identifiers and expressions")
    }

    /// Removes what there is of the new file; the old one is as it was.
    package func abandon() {
        let isOpen = destination != nil || held != nil
        (source, destination, held) = (nil, nil, nil)
        // What cannot be removed now is the next time.
        if isOpen { try? StoreReplacement.removeCopy(of: fileName, in: folder) }
    }

    /// Closes both files, and waits for the code that fills the copy to let go of them.
    ///
    /// - Throws: `malformedRequest` if one of them is still in use after all patience.
    func close() throws(StoreError) {
        weak let weakSource = source
        weak let weakDestination = destination
        (source, destination) = (nil, nil)
        let deadline = Monotonic.now + patience.wholeNanoseconds
        while weakSource != nil || weakDestination != nil, Monotonic.now < deadline {
            Monotonic.sleep(.milliseconds(1))
        }
        if weakSource != nil || weakDestination != nil {
            throw .malformedRequest(
                "a policy keeps a context of the migration: let go of contexts and managers when it ends")
        }
    }
}
