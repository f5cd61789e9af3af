internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

/// The reply to a save, as it is kept until its client has it.
///
/// Rows to refresh are kept by their keys only: whoever asks again wants them as they are now.
struct StoredReply {
    private var number: UInt64 = 0
    private var firstKeys: [Int64] = []
    private var deleted: [DeleteGroup] = []
    private var refreshed: [DeleteGroup] = []

    init(_ saved: SavedMessage) {
        number = saved.number
        firstKeys = saved.firstKeys
        deleted = saved.alsoDeleted
        refreshed = saved.refreshed.map {
            DeleteGroup(entity: $0.entity, primaryKeys: $0.primaryKeys, versions: [])
        }
    }

    /// Little-endian words of 64 bits.
    var bytes: [UInt8] {
        var words: [UInt64] = [number, UInt64(firstKeys.count)] + firstKeys.map { UInt64(bitPattern: $0) }
        for groups in [deleted, refreshed] {
            words.append(UInt64(groups.count))
            for group in groups {
                words += [UInt64(group.entity), UInt64(group.primaryKeys.count)]
                words += group.primaryKeys.map { UInt64(bitPattern: $0) }
                words.append(UInt64(group.versions.count))
                words += group.versions.map(UInt64.init)
            }
        }
        return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } }
    }

    init?(_ bytes: [UInt8]) {
        var reader = WordReader(bytes: bytes)
        guard let number = reader.next(), let keys = reader.list(), let deleted = reader.groups(),
            let refreshed = reader.groups()
        else { return nil }
        self.number = number
        firstKeys = keys.map { Int64(bitPattern: $0) }
        self.deleted = deleted
        self.refreshed = refreshed
    }

    /// The reply, with the rows as they are now.
    func message(from writer: StoreWriter) throws(StoreError) -> SavedMessage {
        var rows: [RowBatch] = []
        for group in refreshed {
            let plan = try writer.plan(group.entity)
            let batch = try translating { () throws(SQLiteError) in
                var reader = try StoredRow(plan, on: writer.connection)
                for key in group.primaryKeys { _ = try reader.append(key) }
                return reader.rows()
            }
            rows.append(batch)
        }
        return SavedMessage(number: number, firstKeys: firstKeys, refreshed: rows, alsoDeleted: deleted)
    }
}

private struct WordReader {
    let bytes: [UInt8]
    var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> UInt64? {
        guard place + 8 <= bytes.count else { return nil }
        defer { place += 8 }
        return (0..<8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[place + $1]) }
    }

    mutating func list() -> [UInt64]? {
        guard let count = next(), count <= UInt64(bytes.count / 8) else { return nil }
        var words: [UInt64] = []
        for _ in 0..<count {
            guard let word = next() else { return nil }
            words.append(word)
        }
        return words
    }

    mutating func groups() -> [DeleteGroup]? {
        guard let count = next(), count <= UInt64(bytes.count / 8) else { return nil }
        var groups: [DeleteGroup] = []
        for _ in 0..<count {
            guard let entity = next(), entity < 1 << 31, let keys = list(), let versions = list() else {
                return nil
            }
            groups.append(
                DeleteGroup(
                    entity: Int(entity), primaryKeys: keys.map { Int64(bitPattern: $0) },
                    versions: versions.map { UInt32(truncatingIfNeeded: $0) }))
        }
        return groups
    }
}

extension UUID {
    /// The 16 bytes.
    var bytes: [UInt8] {
        let b = uuid
        return [b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15]
    }
}
