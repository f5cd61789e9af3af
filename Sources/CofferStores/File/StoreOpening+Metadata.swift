internal import CofferFormats
package import CofferLinux
internal import CofferModel
internal import CofferSQLite
package import CofferWire

extension StoreFile {
    /// What a store says of itself, read and changed in its file alone: no model is needed, and nothing else
    /// of the file is looked at.
    ///
    /// Without changes neither the file nor its folder is touched. A change is in the file at once. A file
    /// that Coffer did not make needs `options.foreignFiles` to be `adopted`; of SQLite's files only the
    /// metadata change then, and no table of ours is added.
    ///
    /// - Parameters:
    ///   - fileName: One component, checked by the caller.
    ///   - changes: New values by key; `nil` removes a key.
    /// - Throws: `notFound`, `notAStore` and `damaged` for what stands there; `lockedByOther` where somebody
    ///   has it open for writing; `notAdopted`; `unfitMetadata`; `unknownModel` for the change of a file that
    ///   is written as a whole and keeps no model.
    /// - Returns: All that it says then.
    package static func metadata(
        of fileName: String, in folder: Folder, changing changes: [String: MetadataValueMessage?] = [:],
        options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> MetadataReplyMessage {
        var options = options
        options.mustExist = true
        options.isReadOnly = changes.isEmpty
        let type = options.type ?? StoreType(ofFile: fileName)
        if type ?? .sqlite == .sqlite {
            do throws(StoreError) {
                var opening = try StoreOpening(
                    folder, fileName, configuration: ManagedObjectModel.defaultConfiguration, options: options)
                return try opening.metadata(changing: changes)
            } catch {
                // Only what is not SQLite's may be looked into, see `StoreOpening.look`.
                guard case .notAStore = error, type == nil else { throw error }
                guard try StoreType(ofContent: fileName, in: folder) != nil else { throw error }
            }
        }
        let file = try open(in: folder, fileName: fileName, model: nil, options: options)
        if changes.isEmpty {
            return try file.metadata(on: file.makeReader()).reply(uuid: file.uuid, type: file.type)
        }
        return try file.makeWriter().metadata(changing: changes)
    }
}

extension StoreOpening {
    /// What the file says of itself, after changing it.
    fileprivate mutating func metadata(
        changing changes: [String: MetadataValueMessage?]
    ) throws(StoreError) -> MetadataReplyMessage {
        guard try isThere() else { throw .notFound(path: path) }
        try checkCompanions()
        if changes.isEmpty {
            let facts = try StoreFacts(reading: connect(.readOnly, through: vfs), path: path)
            return facts.metadata.reply(uuid: facts.uuid, type: .sqlite)
        }
        guard try isWritable() else { throw .readOnly(path: path) }
        let isNewlyLocked = try acquireLock()
        defer { if isNewlyLocked { _ = try? folder.unlink(fileName + StoreFile.lockSuffix) } }
        try requireConsent()
        let connection = try connect(.readWrite, through: vfs)
        try translating { () throws(SQLiteError) in
            _ = try connection.pragma("synchronous", "full")
            try connection.begin(.immediate)
        }
        var facts = try StoreFacts(reading: connection, path: path)
        try facts.metadata.apply(changes)
        try facts.metadata.write(to: connection)
        try translating { () throws(SQLiteError) in try connection.commit() }
        return facts.metadata.reply(uuid: facts.uuid, type: .sqlite)
    }

    /// Throws where another program made the file and nobody agreed to change it.
    private func requireConsent() throws(StoreError) {
        if options.foreignFiles == .adopted { return }
        let sealed = try translating { () throws(SQLiteError) in try SQLiteVFS(isSealed: true) }
        if try isOwn(connect(.readOnly, through: sealed)) { return }
        throw .notAdopted(path: path, additions: ["what is set in its metadata"])
    }
}
