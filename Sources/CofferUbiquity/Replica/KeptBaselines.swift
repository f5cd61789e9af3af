internal import CofferContainer
internal import CofferMerge
internal import CofferSQLite

/// The table of a peer's own baselines, `COFFER_BASELINE`: what the container does not tell of them.
struct KeptBaselines {
    private let connection: SQLiteConnection

    static let table =
        "CREATE TABLE IF NOT EXISTS COFFER_BASELINE (place INTEGER PRIMARY KEY, name VARCHAR, parts BLOB, "
        + "vector BLOB, covered VARCHAR, size INTEGER, stands INTEGER)"

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// What tells whether the table is to be written again: all else of a baseline stays as it is.
    struct Mark: Equatable {
        private let name: ObjectName
        private let standsSince: WallTime?

        init(_ baseline: OwnBaseline) { (name, standsSince) = (baseline.name, baseline.standsSince) }
    }

    /// A baseline as it is kept.
    struct Row {
        let name: String
        /// The parts' hashes, one behind the other.
        let parts: [UInt8]
        let vector: [UInt8]
        /// Names of objects, in lines.
        let covered: String
        let byteCount: Int64
        /// Microseconds since 1970.
        let standsSince: Int64?
    }

    /// The baselines, the newest last; none in a store of which none were kept yet.
    func rows() throws(SQLiteError) -> [Row] {
        guard try connection.hasTable("COFFER_BASELINE") else { return [] }
        let statement = try connection.prepare(
            "SELECT name, parts, vector, covered, size, stands FROM COFFER_BASELINE ORDER BY place")
        var rows: [Row] = []
        while try statement.step() {
            rows.append(
                Row(
                    name: statement.text(0), parts: statement.blob(1), vector: statement.blob(2),
                    covered: statement.text(3), byteCount: statement.int64(4),
                    standsSince: statement.isNull(5) ? nil : statement.int64(5)))
        }
        return rows
    }

    /// Keeps these, and no others.
    func keep(_ rows: [Row]) throws(SQLiteError) {
        try connection.execute("DELETE FROM COFFER_BASELINE")
        let statement = try connection.prepare(
            "INSERT INTO COFFER_BASELINE(name, parts, vector, covered, size, stands) "
                + "VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
        for row in rows {
            defer { statement.reset() }
            try statement.bind(row.name, at: 1)
            try statement.bind(row.parts, at: 2)
            try statement.bind(row.vector, at: 3)
            try statement.bind(row.covered, at: 4)
            try statement.bind(row.byteCount, at: 5)
            if let time = row.standsSince {
                try statement.bind(time, at: 6)
            } else {
                try statement.bindNull(at: 6)
            }
            try statement.run()
        }
    }
}

extension KeptBaselines.Row {
    init(_ baseline: OwnBaseline) throws(ObjectFault) {
        self.init(
            name: "\(baseline.name)", parts: baseline.parts.sorted().flatMap(\.bytes),
            vector: try baseline.vector.bytes(),
            covered: baseline.covered.map { "\($0)" }.sorted().joined(separator: "\n"),
            byteCount: Int64(baseline.byteCount), standsSince: baseline.standsSince?.microseconds)
    }

    /// The baseline; `nil` if the row is not one.
    func baseline() throws(ObjectFault) -> OwnBaseline? {
        guard let name = ObjectName(name) else { return nil }
        let size = ObjectHash.byteCount
        let hashes = stride(from: 0, to: parts.count - parts.count % size, by: size).compactMap {
            ObjectHash(bytes: Array(parts[$0..<$0 + size]))
        }
        return OwnBaseline(
            kept: name, parts: Set(hashes), vector: try KnowledgeVector(bytes: vector),
            covered: Set(covered.split(separator: "\n").compactMap { ObjectName(String($0)) }),
            byteCount: Int(byteCount), standsSince: standsSince.map { WallTime(microseconds: $0) })
    }
}

extension PeerID {
    /// Its 8 bytes, the most significant first.
    var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) } }

    /// The ids that bytes are, 8 each.
    static func set(of bytes: [UInt8]) -> Set<PeerID> {
        Set(
            stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map { start in
                PeerID(bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
            })
    }
}
