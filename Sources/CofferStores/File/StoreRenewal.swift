internal import CofferFormats
internal import CofferModel
internal import CofferSQLite

/// Repairs, inside the transaction of opening, what older versions gave stores of ours by other rules than
/// Core Data's.
///
/// The numbers of entities and the tables of many-to-many relationships stay, as `Z_PRIMARYKEY` and the
/// existing columns have them; so ids and URIs stay, too.
struct StoreRenewal {
    private let hashes: VersionHashes?
    private let metadata: StoreMetadata
    private let schema: SQLSchema

    /// The repairs that a file with `metadata` needs, which fits the model of `schema`.
    init(of schema: SQLSchema, _ metadata: StoreMetadata) {
        hashes = VersionHashes(of: schema.model, configuration: schema.configuration)
        self.metadata = metadata
        self.schema = schema
    }

    func run(on connection: SQLiteConnection) throws(SQLiteError) {
        try addOwnerKeys(on: connection)
        try renewHashes(on: connection)
    }

    /// Adds the columns of to-many relationships without inverse, which older stores of ours lacked.
    private func addOwnerKeys(on connection: SQLiteConnection) throws(SQLiteError) {
        for table in schema.tables where table.columns.contains(where: \.isOwnerKey) {
            let statement = try connection.prepare("SELECT name FROM pragma_table_info(?1)")
            try statement.bind(table.name, at: 1)
            var present: Set<String> = []
            while try statement.step() { present.insert(statement.text(0)) }
            statement.reset()
            for column in table.columns where column.isOwnerKey && !present.contains(column.name) {
                try connection.execute(
                    "ALTER TABLE \(table.name) ADD COLUMN \(SQLName.quoted(column.name)) \(column.type)")
                if column.isReference { try connection.execute(SQLSchema.index(on: column, of: table)) }
            }
        }
    }

    private func renewHashes(on connection: SQLiteConnection) throws(SQLiteError) {
        guard let hashes, hashes.entities != metadata.versionHashes,
            // Those of Core Data's stay.
            !VersionHashes.fit(
                metadata.versionHashes, schema.model, configuration: schema.configuration)
        else { return }
        var renewed = metadata
        renewed.versionHashes = hashes.entities
        renewed.digest = hashes.digest
        renewed.checksum = hashes.checksum
        let statement = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?1")
        try statement.bind(renewed.propertyList(), at: 1)
        try statement.run()
    }
}
