internal import CofferFormats
internal import CofferLinux
package import CofferModel
internal import FoundationEssentials

/// A folder in memory with the database that does the work of a store of another type.
///
/// Shared. So every rule of fetches, saves and history is that of SQLite stores.
package final class StoreBacking: Sendable {
    /// What a new database begins with, if it stands for a file that was there.
    struct Seed: Sendable {
        let uuid: UUID
        let metadata: StoreMetadata?
    }

    /// The name of the database in its folder.
    static let databaseName = "store.sqlite"

    /// What kind of store it is; `nil` for an application's own.
    package let type: StoreType?
    /// Where the store is, for people.
    let path: String
    /// The folder of the database.
    let memory: MemoryFolder
    let seed: Seed?
    /// The file that each save replaces; `nil` for a store in memory.
    package let file: AtomicFile?
    /// Where the objects are that the database gets only on demand; `nil` if it has all of them.
    package let source: (any StoreSource)?
    /// Whether its model is guessed from the objects of its file, so that it is only read.
    let isModelGuessed: Bool

    /// Makes a folder for the database of a store at `path`.
    init(
        _ type: StoreType?, path: String, seed: Seed? = nil, file: AtomicFile? = nil,
        source: (any StoreSource)? = nil, isModelGuessed: Bool = false
    ) throws(StoreError) {
        self.isModelGuessed = isModelGuessed
        self.source = source
        self.type = type
        self.path = path
        self.seed = seed
        self.file = file
        memory = try translatingSystem { () throws(LinuxError) in try MemoryFolder() }
    }
}
