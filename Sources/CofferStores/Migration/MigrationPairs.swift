internal import CofferSQLite

/// Which objects a migration made of which, by entity mapping.
///
/// Confined. It is on the disk, in a file that goes with it, so that memory does not grow with the objects.
package final class MigrationPairs {
    /// An object of one of the two stores.
    package struct Object: Hashable, Sendable {
        /// Its entity, by index in the model.
        package let entity: Int
        /// Its key.
        package let key: Int64

        /// An object by entity and key.
        package init(entity: Int, key: Int64) { (self.entity, self.key) = (entity, key) }
    }

    /// An object and what was made of it.
    package struct Pair: Sendable {
        /// Its place among all.
        package let place: Int64
        /// What there was.
        package let source: Object
        /// What was made of it.
        package let destination: Object
    }

    private let connection: SQLiteConnection
    private let insertion: SQLiteStatement

    /// No pairs.
    package init() throws(StoreError) {
        do throws(SQLiteError) {
            connection = try SQLiteConnection(path: ":memory:")
            _ = try connection.pragma("temp_store", "FILE")
            try connection.execute(
                "CREATE TEMP TABLE pair (id INTEGER PRIMARY KEY, mapping INTEGER, se INTEGER, sk INTEGER, "
                    + "de INTEGER, dk INTEGER)")
            try connection.execute("CREATE INDEX temp.by_source ON pair (sk, se, mapping)")
            try connection.execute("CREATE INDEX temp.by_destination ON pair (dk, de, mapping)")
            try connection.execute("CREATE INDEX temp.by_mapping ON pair (mapping, id)")
            insertion = try connection.prepare(
                "INSERT INTO temp.pair(mapping, se, sk, de, dk) VALUES(?1, ?2, ?3, ?4, ?5)")
        } catch {
            throw StoreError(error)
        }
    }

    /// Adds what a mapping made, in order.
    package func add(
        _ made: [(mapping: Int, source: Object, destination: Object)]
    ) throws(StoreError) {
        try translating { () throws(SQLiteError) in
            try connection.begin(.immediate)
            for (mapping, source, destination) in made {
                try insertion.bind(Int64(mapping), at: 1)
                try insertion.bind(Int64(source.entity), at: 2)
                try insertion.bind(source.key, at: 3)
                try insertion.bind(Int64(destination.entity), at: 4)
                try insertion.bind(destination.key, at: 5)
                try insertion.run()
            }
            try connection.commit()
        }
    }

    /// The next pairs of a mapping behind a place, in the order in which they were made.
    package func pairs(
        of mapping: Int, behind place: Int64, limit: Int
    ) throws(StoreError) -> [Pair] {
        try translating { () throws(SQLiteError) in
            let statement = try connection.cached(
                "SELECT id, se, sk, de, dk FROM temp.pair WHERE mapping = ?1 AND id > ?2 ORDER BY id LIMIT ?3"
            )
            try statement.bind(Int64(mapping), at: 1)
            try statement.bind(place, at: 2)
            try statement.bind(Int64(limit), at: 3)
            defer { statement.reset() }
            var pairs: [Pair] = []
            while try statement.step() {
                pairs.append(
                    Pair(
                        place: statement.int64(0),
                        source: Object(entity: Int(statement.int64(1)), key: statement.int64(2)),
                        destination: Object(entity: Int(statement.int64(3)), key: statement.int64(4))))
            }
            return pairs
        }
    }

    /// What was made of an object by a mapping, or by all, in the order in which it was made.
    package func destinations(of source: Object, by mapping: Int?) throws(StoreError) -> [Object] {
        try others(of: source, by: mapping, named: "s", other: "d")
    }

    /// What an object was made of by a mapping, or by all.
    package func sources(of destination: Object, by mapping: Int?) throws(StoreError) -> [Object] {
        try others(of: destination, by: mapping, named: "d", other: "s")
    }

    private func others(
        of object: Object, by mapping: Int?, named own: String, other: String
    ) throws(StoreError) -> [Object] {
        try translating { () throws(SQLiteError) in
            let statement = try connection.cached(
                "SELECT \(other)e, \(other)k FROM temp.pair WHERE \(own)k = ?1 AND \(own)e = ?2 "
                    + "\(mapping == nil ? "" : "AND mapping = ?3 ")ORDER BY id")
            try statement.bind(object.key, at: 1)
            try statement.bind(Int64(object.entity), at: 2)
            if let mapping { try statement.bind(Int64(mapping), at: 3) }
            defer { statement.reset() }
            var found: [Object] = []
            while try statement.step() {
                found.append(Object(entity: Int(statement.int64(0)), key: statement.int64(1)))
            }
            return found
        }
    }
}
