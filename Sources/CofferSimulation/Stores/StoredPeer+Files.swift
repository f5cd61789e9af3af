internal import CofferCoordination
internal import CofferLinux
internal import CofferMerge
internal import CofferSQLite
internal import CofferStores
internal import CofferUbiquity
internal import FoundationEssentials

extension StoredPeer {
    /// Opens its files with the second version of the model.
    func migrate() throws {
        version = .second
        try machine?.store.close()
        try restart()
    }

    /// Keeps its files aside, under another name, as they are between two transactions.
    func copyFiles(to other: String) throws {
        try machine?.store.close()
        try restart { try copy(name, to: other) }
    }

    /// Goes on with files that were kept aside.
    func putBack(_ other: String, _ version: SimulatedModel.Version, with edits: [LocalEdit]) throws {
        self.version = version
        try restart { try copy(other, to: name) }
        goOn(with: edits)
    }

    /// What a backup holds, which stays as it is.
    func content(ofBackup other: String) throws -> RestoredContent {
        try copy(other, to: "\(name) restoring")
        let vfs = try SQLiteVFS()
        let file = try Self.open(
            world, version, name: "\(name) restoring", clock: clock, words: words, vfs: vfs)
        let store = try PersistentStore(file: file)
        let content = try RestoredContent(of: store, at: clock.now)
        try store.close()
        return content
    }

    /// Makes what a backup holds the content.
    func restore(_ restoration: Restoration) throws {
        try running().work.restore(restoration)
        if let failure = try work(onlyFolding: true) {
            throw Divergence(.broken("a backup was not made the content: \(failure)"))
        }
    }

    private func copy(_ one: String, to other: String) throws {
        let base = world.files.folder
        try base.removeAll(other)
        try FileManager.default.copyItem(atPath: try base.procPath(one), toPath: try base.procPath(other))
    }
}
