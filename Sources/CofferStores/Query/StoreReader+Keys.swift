internal import CofferModel
internal import CofferSQLite

extension SQLSchema {
    /// The keys of all objects of the leaf entity at a place in the model; empty if the store does not keep
    /// that entity.
    func keys(ofEntityAt index: Int, on connection: SQLiteConnection) throws(StoreError) -> [Int64] {
        guard entities.indices.contains(index), let entity = entities[index] else { return [] }
        return try translating { () throws(SQLiteError) in
            let statement = try connection.prepare(
                "SELECT Z_PK FROM \(entity.table) WHERE Z_ENT = \(entity.number)")
            var keys: [Int64] = []
            while try statement.step() { keys.append(statement.int64(0)) }
            return keys
        }
    }
}

extension StoreReader {
    /// The keys of all objects of the leaf entity at a place in the model; empty if the store does not keep
    /// that entity.
    package func keys(ofEntityAt index: Int) throws(StoreError) -> [Int64] {
        try schema.keys(ofEntityAt: index, on: connection)
    }
}

extension StoreFile {
    /// A reader of a file that is read alone, as of one that an application comes with: its large values are
    /// read as they are, and one whose file is missing is an error.
    package func makeWholeReader() throws(StoreError) -> StoreReader {
        var options = StoreReader.Options()
        options.externalBytes = { [self] name throws(StoreError) in try externalBytes(name) }
        return try StoreReader(connection: makeReader(), schema: schema, options: options)
    }
}
