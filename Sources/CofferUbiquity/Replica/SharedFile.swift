package import CofferContainer
package import CofferLinux
internal import CofferSQLite
package import CofferStores
package import FoundationEssentials

/// A store's file that no client has open, and what it says of accounts with which it was shared.
package struct SharedFile {
    /// How long a process that had it open may take to let it go.
    private static let busyMilliseconds = 5_000

    private let name: String
    private let folder: Folder

    /// The file of a folder.
    package init(_ name: String, in folder: Folder) { (self.name, self.folder) = (name, folder) }

    /// Which accounts' folders it was shared by; none if it never was, or is not a store.
    ///
    /// - Throws: `StoreError` if it cannot be read now.
    package func roots() throws(StoreError) -> Set<ContainerID> {
        try read { connection throws(SQLiteError) in
            let tables = ReplicaTables(connection: connection)
            guard try tables.exist else { return [] }
            return ContainerID.set(of: try tables.bytes(.rootMarkers) ?? [])
        } ?? []
    }

    /// The store's UUID; `nil` if it is not a store.
    ///
    /// - Throws: `StoreError` if it cannot be read now.
    package func uuid() throws(StoreError) -> UUID? {
        try read { connection throws(SQLiteError) in
            let statement = try connection.prepare("SELECT Z_UUID FROM Z_METADATA LIMIT 1")
            return try statement.step() ? UUID(uuidString: statement.text(0)) : nil
        } ?? nil
    }

    private func read<Result>(
        _ body: (SQLiteConnection) throws(SQLiteError) -> Result
    ) throws(StoreError) -> Result? {
        let (place, path, hasLog) = (try place(), folder.path(of: name), try hasLog())
        do throws(SQLiteError) {
            let connection = try SQLiteConnection(path: place, name: path, keeping: folder, vfs: SQLiteVFS())
            // A log that is there stays: it tells that a process ended without closing the file.
            if hasLog { try connection.disableCheckpointOnClose() }
            // It was served until just now.
            try connection.setBusyTimeout(milliseconds: Self.busyMilliseconds)
            return try body(connection)
        } catch {
            // Whatever opens it says what is wrong.
            if !error.isTransient { return nil }
            throw StoreError(error)
        }
    }

    /// What the store of an open file says of its sharing.
    package struct Facts: Sendable {
        /// Which accounts' folders it was shared by.
        package var roots: Set<ContainerID> = []
        /// Which containers it was filled from.
        package var containers: Set<ContainerID> = []
        /// Whether all that was saved in it is written down for other machines.
        package var isFolded = false
    }

    /// What the store of an open file says of its sharing; nothing if it was never shared.
    package static func facts(of file: StoreFile) throws(StoreError) -> Facts {
        let tables = ReplicaTables(connection: try file.makeReader())
        return try ReplicaTables.translating { () throws(SQLiteError) in
            guard try tables.exist else { return Facts() }
            let folded = UInt64(bitPattern: try tables.integer(.folded) ?? 0)
            return Facts(
                roots: ContainerID.set(of: try tables.bytes(.rootMarkers) ?? []),
                containers: ContainerID.set(of: try tables.bytes(.markers) ?? []),
                isFolded: folded >= file.openingNumber)
        }
    }

    private func hasLog() throws(StoreError) -> Bool {
        do throws(LinuxError) { return try folder.exists(name + "-wal") } catch { throw StoreError(error) }
    }

    private func place() throws(StoreError) -> String {
        do throws(LinuxError) { return try folder.procPath(name) } catch { throw StoreError(error) }
    }
}
