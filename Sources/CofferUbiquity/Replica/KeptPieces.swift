internal import CofferContainer
internal import CofferMerge
internal import CofferModel
internal import CofferSQLite
internal import CofferStores

/// The table of pieces that are owed, `COFFER_PIECE`: of large values that registers name, no row shows any
/// more, and the container is not known to have.
///
/// Another machine may delete an object before its values could be put there, and the object may come back.
/// Then this file is all that has them.
struct KeptPieces {
    private let connection: SQLiteConnection

    static let table = "CREATE TABLE IF NOT EXISTS COFFER_PIECE (name VARCHAR PRIMARY KEY, object BLOB)"

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// The names of all; none in a store of before there were any.
    func names() throws(SQLiteError) -> Set<ObjectName> {
        guard try connection.hasTable("COFFER_PIECE") else { return [] }
        let statement = try connection.prepare("SELECT name FROM COFFER_PIECE")
        var names: Set<ObjectName> = []
        while try statement.step() {
            if let name = ObjectName(statement.text(0)) { names.insert(name) }
        }
        return names
    }

    /// A piece; `nil` if it is not kept, or damaged.
    func piece(_ name: ObjectName) throws(SQLiteError) -> ContainerObject? {
        let statement = try connection.cached("SELECT object FROM COFFER_PIECE WHERE name = ?1")
        defer { statement.reset() }
        try statement.bind("\(name)", at: 1)
        guard try statement.step() else { return nil }
        // A damaged one is as good as none.
        return try? ContainerObject(reading: statement.blob(0), named: name)
    }

    /// Keeps a piece.
    func keep(_ piece: ContainerObject) throws(SQLiteError) {
        let (name, bytes) = piece.packed()
        let statement = try connection.cached(
            "INSERT OR REPLACE INTO COFFER_PIECE(name, object) VALUES(?1, ?2)")
        defer { statement.reset() }
        try statement.bind("\(name)", at: 1)
        try statement.bind(bytes, at: 2)
        try statement.run()
    }

    /// Keeps a piece no longer.
    func forget(_ name: ObjectName) throws(SQLiteError) {
        let statement = try connection.cached("DELETE FROM COFFER_PIECE WHERE name = ?1")
        defer { statement.reset() }
        try statement.bind("\(name)", at: 1)
        try statement.run()
    }
}

// MARK: Which pieces are owed

extension KeptReplica {
    /// Keeps the pieces of values that rows are about to show no longer, if registers still name them and the
    /// container does not list them.
    ///
    /// - Parameters:
    ///   - stored: The rows, as they are before they are written.
    ///   - reading: Gives the values.
    ///   - connection: The writer's.
    /// - Throws: `StoreError`; the transaction is to be rolled back then.
    mutating func keepPieces(
        of stored: [RowAddress: StoredObject], with reading: ObjectReading, on connection: SQLiteConnection
    ) throws(StoreError) {
        var named: Set<LargeValue>?
        for (row, object) in stored where !object.largeValues.isEmpty {
            guard let name = book.names[row] else { continue }
            let seen = replica.graph.seen.objects[replica.graph.owner(of: name) ?? name]
            for (property, large) in object.largeValues
            where !(seen?.largeValues.values.contains(large) ?? false) {
                let all = named ?? values.named.values.reduce(into: []) { $0.formUnion($1) }
                named = all
                if !all.contains(large) { continue }
                try keepPieces(of: large, with: reading, property, row, on: connection)
            }
        }
    }

    private mutating func keepPieces(
        of large: LargeValue, with reading: ObjectReading, _ property: String, _ row: RowAddress,
        on connection: SQLiteConnection
    ) throws(StoreError) {
        let missing = Set(large.pieces).subtracting(exchange.listedObjects).subtracting(values.owed)
        guard !missing.isEmpty, let value = try reading.value(of: property, at: row) else { return }
        try ReplicaTables.translating { () throws(SQLiteError) in
            try ReplicaTables(connection: connection).make()
            for (name, piece) in zip(large.pieces, large.objects(of: value)) where missing.contains(name) {
                try KeptPieces(connection).keep(piece)
            }
        }
        values.owe(missing)
    }

    /// The value whose pieces are kept; `nil` if not all of them are.
    func owedValue(_ large: LargeValue, on connection: SQLiteConnection) throws(StoreError) -> AttributeValue?
    {
        if values.owed.isEmpty || !large.pieces.allSatisfy(values.owed.contains) { return nil }
        return try ReplicaTables.translating { () throws(SQLiteError) in
            var pieces: [ContainerObject] = []
            for name in large.pieces {
                guard let piece = try KeptPieces(connection).piece(name) else { return nil }
                pieces.append(piece)
            }
            return large.value(of: pieces)
        }
    }

    /// The pieces that are owed no longer: the container has them, or no register names them.
    var paidPieces: Set<ObjectName> {
        if values.owed.isEmpty { return [] }
        let (listed, named) = (exchange.listedObjects, namedPieces)
        return values.owed.filter { listed.contains($0) || !($0.hash.map(named.contains) ?? false) }
    }

    /// Keeps pieces no longer.
    mutating func forgetPieces(
        _ pieces: Set<ObjectName>, on connection: SQLiteConnection
    ) throws(StoreError) {
        try ReplicaTables.translating { () throws(SQLiteError) in
            for name in pieces { try KeptPieces(connection).forget(name) }
        }
        values.pay(pieces)
    }
}
