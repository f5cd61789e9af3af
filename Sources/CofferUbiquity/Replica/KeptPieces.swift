internal import CofferContainer
internal import CofferCoordination
internal import CofferMerge
internal import CofferModel
internal import CofferSQLite
internal import CofferStores
internal import CofferWire

/// The table of pieces that are owed, `COFFER_PIECE`: of large values that registers name, no row shows any
/// more, and the container is not known to have.
///
/// Another machine may delete an object before its values could be put there, and the object may come back.
/// Then this file is all that has them. A piece goes a week after it was seen there: a carrier may not have
/// brought it anywhere before. What is deleted here before it could be put is not among them.
struct KeptPieces {
    private let connection: SQLiteConnection

    static let table =
        "CREATE TABLE IF NOT EXISTS COFFER_PIECE (name VARCHAR PRIMARY KEY, object BLOB, listed INTEGER)"

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Since when the container lists each, as far as it does; none in a store of before there were any.
    func all() throws(SQLiteError) -> [ObjectName: WallTime?] {
        guard try connection.hasTable("COFFER_PIECE") else { return [:] }
        let statement = try connection.prepare("SELECT name, listed FROM COFFER_PIECE")
        var pieces: [ObjectName: WallTime?] = [:]
        while try statement.step() {
            guard let name = ObjectName(statement.text(0)) else { continue }
            pieces.updateValue(
                statement.isNull(1) ? nil : WallTime(microseconds: statement.int64(1)), forKey: name)
        }
        return pieces
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

    /// Keeps a piece; gives its name.
    func keep(_ piece: ContainerObject) throws(SQLiteError) -> ObjectName {
        let (name, bytes) = piece.packed()
        let statement = try connection.cached(
            "INSERT OR REPLACE INTO COFFER_PIECE(name, object) VALUES(?1, ?2)")
        defer { statement.reset() }
        try statement.bind("\(name)", at: 1)
        try statement.bind(bytes, at: 2)
        try statement.run()
        return name
    }

    /// Keeps since when the container lists a piece.
    func note(_ name: ObjectName, listedSince time: WallTime?) throws(SQLiteError) {
        let statement = try connection.cached("UPDATE COFFER_PIECE SET listed = ?2 WHERE name = ?1")
        defer { statement.reset() }
        try statement.bind("\(name)", at: 1)
        if let time { try statement.bind(time.microseconds, at: 2) } else { try statement.bindNull(at: 2) }
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
    ///   - listed: What the container lists.
    ///   - connection: The writer's.
    /// - Throws: `StoreError`; the transaction is to be rolled back then.
    mutating func keepPieces(
        of stored: [RowAddress: StoredObject], with reading: ObjectReading,
        unlessIn listed: Set<ObjectName>, on connection: SQLiteConnection
    ) throws(StoreError) {
        var named: Set<LargeValue>?
        for (row, object) in stored where !object.largeValues.isEmpty {
            guard let name = book.name(at: row) else { continue }
            let seen = replica.graph.object(replica.graph.owner(of: name) ?? name, withMembers: false)
            for (property, large) in object.largeValues
            where !(seen?.largeValues.values.contains(large) ?? false) {
                let all = named ?? values.named.values.reduce(into: []) { $0.formUnion($1) }
                named = all
                // Of a value that is not there whole all pieces are kept, so that it can be shown again here.
                if !all.contains(large) || large.pieces.allSatisfy(listed.contains) { continue }
                if large.pieces.allSatisfy({ values.owed[$0] != nil }) { continue }
                guard let value = try reading.value(of: property, at: row) else { continue }
                try keep(large.objects(of: value), on: connection)
            }
        }
    }

    /// The large values of which all pieces are kept.
    var owedValues: [LargeValue] {
        if values.owed.isEmpty { return [] }
        let named = values.named.values.reduce(into: Set<LargeValue>()) { $0.formUnion($1) }
        return named.filter { $0.pieces.allSatisfy { values.owed[$0] != nil } }
    }

    /// Keeps the pieces of a value that another store of this machine owed to the container.
    ///
    /// If registers name it, and no row shows it.
    ///
    /// - Returns: A save of nothing.
    /// - Throws: `StoreError`; the transaction is to be rolled back then.
    mutating func pass(
        owing large: LargeValue, _ value: AttributeValue, on writer: StoreWriter, by origin: SaveOrigin
    ) throws(StoreError) -> SaveExecution {
        let isNamed = values.named.values.contains { $0.contains(large) }
        if isNamed, !shownValues(where: { $0 == large }).contains(where: { $0.large == large }) {
            try keep(large.objects(of: value), on: writer.connection)
        }
        return try writer.execute(SaveRequestMessage(store: 0, request: .unrepeated), by: origin)
    }

    private mutating func keep(
        _ pieces: [ContainerObject], on connection: SQLiteConnection
    ) throws(StoreError) {
        let names = try ReplicaTables.translating { () throws(SQLiteError) in
            try ReplicaTables(connection: connection).make()
            return try pieces.map { (piece) throws(SQLiteError) in try KeptPieces(connection).keep(piece) }
        }
        values.owe(names)
    }

    /// The value whose pieces are kept; `nil` if not all of them are.
    func owedValue(_ large: LargeValue, on connection: SQLiteConnection) throws(StoreError) -> AttributeValue?
    {
        if values.owed.isEmpty || !large.pieces.allSatisfy({ values.owed[$0] != nil }) { return nil }
        return try ReplicaTables.translating { () throws(SQLiteError) in
            var pieces: [ContainerObject] = []
            for name in large.pieces {
                guard let piece = try KeptPieces(connection).piece(name) else { return nil }
                pieces.append(piece)
            }
            return large.value(of: pieces)
        }
    }

    /// What a listing says of the pieces, if anything is new: since when each is listed, and which are
    /// kept no longer, for they were there for long, or no register names them.
    var listedPieces: (since: [ObjectName: WallTime?], paid: Set<ObjectName>)? {
        if values.owed.isEmpty { return nil }
        let (listed, named) = (exchange.listedObjects, namedPieces)
        var (since, paid): ([ObjectName: WallTime?], Set<ObjectName>) = ([:], [])
        for (name, start) in values.owed {
            let isNamed = name.hash.map(named.contains) ?? false
            let isOld = start.map { exchange.isPatient(since: $0) } ?? false
            if !isNamed || isOld {
                paid.insert(name)
            } else if listed.contains(name) != (start != nil) {
                since.updateValue(listed.contains(name) ? exchange.roundTime : nil, forKey: name)
            }
        }
        return since.isEmpty && paid.isEmpty ? nil : (since, paid)
    }

    /// Keeps what a listing says of the pieces.
    mutating func note(
        listed since: [ObjectName: WallTime?], paid: Set<ObjectName>, on connection: SQLiteConnection
    ) throws(StoreError) {
        try ReplicaTables.translating { () throws(SQLiteError) in
            for (name, time) in since { try KeptPieces(connection).note(name, listedSince: time) }
            for name in paid { try KeptPieces(connection).forget(name) }
        }
        values.note(listed: since, paid: paid)
    }
}
