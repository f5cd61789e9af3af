internal import CofferFormats
internal import CofferSQLite

/// The models that a store was taken on from, packed: by itself it does not go back to one of them.
enum FormerModels {
    /// Those that a store keeps beside its own.
    static func all(on connection: SQLiteConnection) throws(SQLiteError) -> [[UInt8]] {
        let statement = try connection.prepare(
            "SELECT model FROM COFFER_MODEL WHERE id NOT IN "
                + "(SELECT value FROM COFFER_STATE WHERE name = 'model') ORDER BY id LIMIT ?1")
        try statement.bind(Int64(Limits.formerModels), at: 1)
        var models: [[UInt8]] = []
        while try statement.step() { models.append(statement.blob(0)) }
        return models
    }

    /// Makes a store keep `models`, too.
    static func keep(_ models: [[UInt8]], on connection: SQLiteConnection) throws(SQLiteError) {
        if models.isEmpty { return }
        let insertion = try connection.prepare("INSERT OR IGNORE INTO COFFER_MODEL(id, model) VALUES(?1, ?2)")
        for model in models.prefix(Limits.formerModels) {
            try insertion.bind(ModelIdentity.id(ofMessage: model), at: 1)
            try insertion.bind(model, at: 2)
            try insertion.run()
        }
    }
}
