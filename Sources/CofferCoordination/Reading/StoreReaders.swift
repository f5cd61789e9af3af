import CofferStores

/// What reads one store through one connection; confined with it.
struct StoreReaders {
    /// Fetches, rows and relationships.
    let objects: StoreReader
    /// Transactions.
    let history: HistoryReader

    init(file: StoreFile) throws(StoreError) {
        let connection = try file.makeReader()
        var options = StoreReader.Options()
        options.sqlDebug = file.sqlDebug
        options.externalBytes = { name throws(StoreError) in try file.externalBytes(name) }
        options.externalReads = file.externalReads
        options.sortKeys = file.sortKeys
        options.looksAtText = !file.sendsAnswers
        objects = try StoreReader(connection: connection, schema: file.schema, options: options)
        history = try HistoryReader(connection: connection, file: file)
    }
}
