package import CofferContainer
package import CofferCoordination
internal import CofferMerge
internal import CofferSQLite
package import CofferStores
internal import CofferWire
package import FoundationEssentials

/// Which stores one was filled from.
extension PersistentStore {
    /// Whether all of the store with a UUID was joined into it before.
    package func isSeeded(from seed: UUID) throws(StoreError) -> Bool {
        let tables = ReplicaTables(connection: try file.makeReader())
        return try ReplicaTables.translating { () throws(SQLiteError) in
            guard try tables.exist else { return false }
            return Self.seeds(in: try tables.bytes(.seeds)).contains(seed.uuidString)
        }
    }

    /// Notes that all of the store with a UUID was joined into it.
    package func noteSeed(_ seed: UUID, at now: WallTime) throws(StoreError) {
        let origin = UbiquityWork.origin(at: now)
        _ = try save(by: origin) { writer throws(StoreError) in
            let tables = ReplicaTables(connection: writer.connection)
            try ReplicaTables.translating { () throws(SQLiteError) in
                try tables.make()
                let seeds = Self.seeds(in: try tables.bytes(.seeds)).union([seed.uuidString])
                try tables.keep(.seeds, Array(seeds.sorted().joined(separator: " ").utf8))
            }
            return try writer.execute(SaveRequestMessage(store: 0, request: .unrepeated), by: origin)
        }
    }

    /// Their UUIDs, as texts with spaces between.
    private static func seeds(in bytes: [UInt8]?) -> Set<String> {
        Set(String(decoding: bytes ?? [], as: UTF8.self).split(separator: " ").map(String.init))
    }
}
