package import CofferLinux
package import CofferModel
internal import CofferSQLite
package import FoundationEssentials

/// A new store with all that is in another, of any type and at any place.
///
/// A value; used once. Objects are read of one state of the store, while others write, piece by piece, so
/// that memory stays bounded as far as the new type allows; the store itself is only read. The copy is a
/// store of its own with a UUID of its own, in which an object has the key that `Outcome.shift` says. It gets
/// its name when it is whole and has been read through: after a crash at any moment there is nothing of that
/// name, or the whole copy.
package struct StoreCopy {
    /// What may differ between copies.
    package struct Options: Sendable {
        /// Whether history, and what only Coffer keeps, stays behind.
        package var isPlain = false
        /// The configuration of the model that the copy keeps; `nil`: that of the store.
        package var configuration: String?
        /// Folders of a service's stores, in which no copy is put.
        package var closedFolders: [Folder] = []
        /// How the copy is opened while it is filled.
        package var opening = StoreOptions()

        package init() {}
    }

    /// What was made.
    package struct Outcome: Sendable {
        /// The copy's type.
        package let type: StoreType
        /// The UUID of the store.
        package let formerUUID: UUID
        /// The UUID of the copy.
        package let uuid: UUID
        /// The number of the last transaction in the copy's history.
        package let number: UInt64
        /// How many objects it has.
        package let objectCount: Int
        /// How keys became others.
        package let shift: KeyShift
        /// What stayed behind since the store itself cannot keep it, or had lost it, each a sentence.
        package internal(set) var leftOut: [String] = []
        /// How many values are null since their files are missing.
        package internal(set) var missingCount = 0
        /// The first of them.
        package internal(set) var missingValues: [String] = []
    }

    /// Told of objects copied and in all; `false` stops it.
    package typealias Progress = (_ copied: Int, _ total: Int) -> Bool

    let file: StoreFile
    let type: StoreType
    let options: Options
    var configuration: String { options.configuration ?? file.configuration }

    /// A copy of `file`.
    ///
    /// - Throws: `unknownModel` if the model of the store is only guessed.
    package init(of file: StoreFile, as type: StoreType, options: Options = Options()) throws(StoreError) {
        if file.isModelGuessed { throw .unknownModel(path: file.path) }
        self.file = file
        self.type = type
        self.options = options
    }

    /// Makes the copy as a file called `fileName` in `folder`.
    ///
    /// - Parameters:
    ///   - fileName: What it is called; nothing may have that name.
    ///   - folder: Where it goes.
    ///   - progress: Told of objects copied and in all.
    ///   - willFinish: Called when the copy is whole and has no name yet.
    /// - Returns: What was made.
    /// - Throws: `alreadyExists` and `unfitTarget` for a place that cannot be used; `interrupted` if
    ///   `progress` says so; `full`, `io`; `damaged` if the store is damaged; `unfitTarget` if objects or
    ///   relationships have no place in the configuration. Then nothing is left of it.
    package func run(
        as fileName: String, in folder: Folder, progress: @escaping Progress = { _, _ in true },
        willFinish: () -> Void = {}
    ) throws(StoreError) -> Outcome {
        try CopyPlace.check(fileName, in: folder, closedFolders: options.closedFolders)
        try CopyPlace.requireFree(fileName, in: folder)
        switch type {
        case .sqlite:
            return try CopiedDatabase(self, fileName, in: folder).run(progress, willFinish: willFinish)
        case .binary, .xml:
            return try CopiedWholeFile(self, fileName, in: folder).run(progress, willFinish: willFinish)
        case .memory: throw .malformedRequest("a store in memory has no file")
        }
    }

    /// Makes the copy in memory, called `name`; it is gone with what this returns.
    ///
    /// - Throws: As `run` does.
    package func runInMemory(
        as name: String, progress: @escaping Progress = { _, _ in true }
    ) throws(StoreError) -> (store: StoreFile, outcome: Outcome) {
        var opening = options.opening
        opening.type = .memory
        let backed = BackedOpening(
            type: .memory, folder: file.folder, fileName: name, model: file.model,
            configuration: configuration, options: opening)
        let backing = try StoreBacking(.memory, path: backed.path)
        let outcome = try fill(
            try backed.open(backing, model: file.model, with: opening), shift: { _ in KeyShift() }, progress)
        return (try backed.open(backing, model: file.model, with: opening), outcome)
    }
}

extension StoreCopy {
    /// Fills `store`, which is new; `finish` is given its writer at the end, within a transaction.
    ///
    /// - Returns: What was made, and what `finish` gives.
    func fill<Result>(
        _ store: StoreFile, shift: (CopySource) throws(StoreError) -> KeyShift,
        _ progress: @escaping Progress,
        finish: (StoreWriter) throws(StoreError) -> Result
    ) throws(StoreError) -> (Outcome, Result) {
        let source = try CopySource(file)
        let shift = try shift(source)
        let keepsHistory = type == .sqlite && !options.isPlain && shift.isIdle
        let run = try copyRows(from: source, to: store, shift, keepsHistory: keepsHistory, progress)
        let writer = try store.makeWriter()
        let now = options.opening.environment.now()
        var number = writer.lastTransaction
        let result = try writer.transaction { () throws(StoreError) in
            try translating { () throws(SQLiteError) in try writer.texts?.drain() }
            var metadata = try store.metadata(on: writer.connection)
            metadata.carry(from: source.facts.metadata)
            try metadata.write(to: writer.connection)
            if !keepsHistory {
                number = try writer.beginHistoryAnew(after: source.facts.lastTransaction, now: now)
            }
            return try finish(writer)
        }
        try writer.checkpointFully()
        let outcome = Outcome(
            type: type, formerUUID: file.uuid, uuid: store.uuid, number: number,
            objectCount: run.objectCount, shift: shift, leftOut: run.loss.leftOut,
            missingCount: run.loss.missingCount, missingValues: run.loss.missingFiles)
        return (outcome, result)
    }

    /// Fills `store`, which is new.
    func fill(
        _ store: StoreFile, shift: (CopySource) throws(StoreError) -> KeyShift, _ progress: @escaping Progress
    ) throws(StoreError) -> Outcome {
        try fill(store, shift: shift, progress, finish: { _ throws(StoreError) in }).0
    }

    private func copyRows(
        from source: CopySource, to store: StoreFile, _ shift: KeyShift, keepsHistory: Bool,
        _ progress: @escaping Progress
    ) throws(StoreError) -> CopyRun {
        let connection = try translating { () throws(SQLiteError) in
            let connection = try SQLiteConnection(
                path: store.sqlitePath, name: store.path, keeping: store.folder, mode: .readWrite,
                vfs: store.vfs)
            try connection.setTrustsSchema(store.trustsSchema)
            // It is not needed before it is whole; then it is brought to the disk.
            _ = try connection.pragma("synchronous", "OFF")
            try connection.setAutomaticCheckpoint(frames: Limits.checkpointPages)
            return connection
        }
        let values = CopiedValues(of: file, to: store.fileName, in: store.folder)
        let run = CopyRun(
            source, to: store.schema, on: connection, shift, values: values, progress: progress)
        try run.run()
        try values.synchronize()
        if keepsHistory { try CopyHistory(source, to: store.schema, on: connection).run() }
        return run
    }
}
