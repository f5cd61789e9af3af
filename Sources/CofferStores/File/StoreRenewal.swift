internal import CofferFormats
internal import CofferModel
internal import CofferSQLite

/// Puts right, inside the transaction of opening, what stores of ours were once given by other rules than
/// Core Data's.
///
/// The numbers of entities stay, and so do the tables of many-to-many relationships: `Z_PRIMARYKEY` and the
/// columns that are there rule. So ids and URIs stay, too.
struct StoreRenewal {
    private let hashes: VersionHashes?
    private let metadata: StoreMetadata

    /// What a file with `metadata` needs, which fits `model`.
    init(of model: ManagedObjectModel, configuration: String, _ metadata: StoreMetadata) {
        hashes = VersionHashes(of: model, configuration: configuration)
        self.metadata = metadata
    }

    func run(on connection: SQLiteConnection) throws(SQLiteError) {
        guard let hashes, hashes.entities != metadata.versionHashes else { return }
        var renewed = metadata
        renewed.versionHashes = hashes.entities
        renewed.digest = hashes.digest
        renewed.checksum = hashes.checksum
        let statement = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?1")
        try statement.bind(renewed.propertyList(), at: 1)
        try statement.run()
    }
}
