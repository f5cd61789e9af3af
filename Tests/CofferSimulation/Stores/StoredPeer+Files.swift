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
        let store = try PersistentStore(file: try copyOf(backup: other))
        let content = try RestoredContent(of: store, at: clock.now)
        try store.close()
        return content
    }

    /// What a backup holds, as a file that an application comes with.
    func seed(ofBackup other: String) throws -> AdoptableContent {
        let content = try SeedContent(of: try copyOf(backup: other))
        return try content.batch(from: 0, count: content.objectCount)
    }

    private func copyOf(backup other: String) throws -> StoreFile {
        try copy(other, to: "\(name) reading")
        return try Self.open(
            world, version, name: "\(name) reading", clock: clock, words: words, vfs: try SQLiteVFS())
    }

    /// Joins what another store holds.
    func adopt(_ content: AdoptableContent) throws {
        let isDone = ConditionLock(false)
        try running().work.adopt(content) { isDone.withLock { $0 = true } }
        let failure = try work(onlyFolding: true)
        if !isDone.withLock({ $0 }) {
            throw Divergence(.broken("a store was not filled: \(failure ?? "no reason is told")"))
        }
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
