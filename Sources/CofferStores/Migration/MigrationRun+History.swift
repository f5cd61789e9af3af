internal import CofferFormats
internal import CofferModel
internal import CofferSQLite
internal import CofferWire

// What of history and of the counters names entities by their numbers.

extension MigrationRun {
    /// Makes the counters and the history of the store use the new numbers.
    func renumber(_ facts: StoreFacts) throws(SQLiteError) {
        try renumberKeys()
        try StoreCreation.addTombstoneColumns(for: layout.destination, on: connection)
        try HistoryMigration(layout).run(on: connection)
    }

    /// Numbers the entities, and makes each tree go on counting its keys from where its former tree was.
    private func renumberKeys() throws(SQLiteError) {
        let past = try lastKeys()
        let reserved = try reservedKeys()
        let roots = self.roots
        var last: [Int: Int64] = [:]
        for (root, origin) in roots { last[root] = past[layout.source.numbers[origin]] ?? 0 }
        // Another program may have left a counter that is behind its rows; it is corrected here.
        for table in layout.tables where table.way != .made {
            let statement = try connection.prepare("SELECT max(Z_PK) FROM main.\(table.table.name)")
            if try statement.step() {
                last[table.table.root] = max(last[table.table.root] ?? 0, statement.int64(0))
            }
        }
        try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(FixedTables.changeEntity)")
        try execute(layout.destination.entityNumbering { last[$0] ?? 0 })
        try ReservedKeys.removeAll(on: connection)
        for (root, origin) in roots {
            let keys = ReservedKeys(of: root, layout.destination.numbers, on: connection)
            for range in reserved[layout.source.numbers[origin] - 1] ?? [] { try keys.add(range) }
        }
    }

    /// The trees, each with the tree that its objects come from, by their roots.
    private var roots: [(root: Int, origin: Int)] {
        layout.destination.model.entities.filter { $0.superentityIndex == nil }.compactMap { root in
            let origin = root.familyIndices.compactMap { layout.mapping.entities[$0].origin }.first
            return origin.map { (root.index, layout.source.model.entities[$0].rootIndex) }
        }
    }

    private func lastKeys() throws(SQLiteError) -> [Int: Int64] {
        let statement = try connection.prepare("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
        var keys: [Int: Int64] = [:]
        while try statement.step() { keys[Int(clamping: statement.int64(0))] = statement.int64(1) }
        return keys
    }

    private func reservedKeys() throws(SQLiteError) -> [Int: [ClosedRange<Int64>]] {
        let statement = try connection.prepare(
            "SELECT root, first, last FROM COFFER_RESERVED WHERE first <= last ORDER BY root, first")
        var keys: [Int: [ClosedRange<Int64>]] = [:]
        while try statement.step() {
            keys[Int(clamping: statement.int64(0)), default: []].append(
                statement.int64(1)...statement.int64(2))
        }
        return keys
    }

    /// Tells history of the migration, as Core Data does; answers the number of the transaction.
    func writeHistory(_ facts: StoreFacts) throws(SQLiteError) -> UInt64 {
        let hashes = VersionHashes(of: layout.source.model, configuration: file.configuration)
        let digest = facts.metadata.digest ?? hashes?.digest ?? ""
        let history = try HistoryWriter(
            connection, path: file.path, numbers: layout.destination.numbers,
            hasStrings: facts.hasHistoryStrings)
        let number = try history.begin(
            TransactionMessage(
                number: 0, timestamp: file.environment.now(), author: Self.author + digest,
                process: "coffer"))
        try history.flush()
        return number
    }

    /// The author that Core Data gives its own.
    private static let author =
        "com.apple.coredata.schemamigrator: lightweight migration from model with digest "
}

/// Brings the changes that history tells of into step with a new model.
///
/// Which properties an update changed is told by bits whose places follow from the model: read by the new
/// model, the bits of before would name others. So each is put where its property has its place now, and that
/// of a property that is gone is dropped. Changes of entities that are gone are deleted: their numbers are
/// those of others from now on. What is kept of deleted objects stands in columns by the names' order, and
/// moves as well. The transactions stay.
struct HistoryMigration {
    private let layout: MigrationLayout
    private let entities: [Change]

    /// What becomes of the changes of one entity.
    private struct Change {
        let old: Int
        let new: Int
        let layout: HistoryLayout
        let formerLayout: HistoryLayout
        /// By the index of a former property: that of the new one.
        let properties: [Int: Int]
        /// The places that what is kept of deleted objects had, in the order of now.
        let tombstones: [Int?]

        var keepsBits: Bool {
            properties.allSatisfy { formerLayout.slot(of: $0.key) == layout.slot(of: $0.value) }
                && formerLayout.byteCount == layout.byteCount
        }
        var keepsTombstones: Bool {
            tombstones == Array(tombstones.indices) && tombstones.count >= formerLayout.preserved.count
        }
    }

    init(_ layout: MigrationLayout) {
        self.layout = layout
        entities = layout.mapping.entities.compactMap { entity in
            guard let origin = entity.origin, layout.source.numbers.knows(origin) else { return nil }
            return Self.change(entity, from: origin, in: layout)
        }
    }

    private static func change(
        _ entity: EntityMapping, from origin: Int, in layout: MigrationLayout
    ) -> Change {
        var properties: [Int: Int] = [:]
        for (index, move) in entity.properties.enumerated() {
            switch move {
            case .attribute(let place, _), .relationship(let place, _): properties[place] = index
            case .added, .none, .computed: continue
            }
        }
        let former = HistoryLayout(layout.source.model.entities[origin], in: layout.source)
        let now = HistoryLayout(
            layout.destination.model.entities[entity.entity], in: layout.destination)
        let places = Dictionary(
            former.preserved.enumerated().map { (properties[$1.property] ?? -1, $0) }
        ) { first, _ in first }
        let tombstones = now.preserved.map { preserved -> Int? in
            guard case .attribute(_, let conversion) = entity.properties[preserved.property],
                conversion.keepsStorage
            else { return nil }
            return places[preserved.property]
        }
        return Change(
            old: layout.source.numbers[origin], new: layout.destination.numbers[entity.entity], layout: now,
            formerLayout: former, properties: properties, tombstones: tombstones)
    }

    /// Whether it changes what history tells of.
    var changesRows: Bool {
        layout.source.model.entities.count > entities.count
            || entities.contains { !$0.keepsBits || !$0.keepsTombstones || $0.old != $0.new }
    }

    func run(on connection: SQLiteConnection) throws(SQLiteError) {
        let kept = SQLName.list(entities.map(\.old).sorted())
        if layout.source.model.entities.count > entities.count {
            try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY NOT IN (\(kept))")
        }
        try moveBits(on: connection)
        try moveTombstones(on: connection)
        let renumbered = entities.filter { $0.old != $0.new }
        if renumbered.isEmpty { return }
        let cases = renumbered.map { " WHEN \($0.old) THEN \($0.new)" }.joined()
        try connection.execute(
            "UPDATE ACHANGE SET ZENTITY = CASE ZENTITY\(cases) END "
                + "WHERE ZENTITY IN (\(SQLName.list(renumbered.map(\.old).sorted())))")
    }

    private func moveBits(on connection: SQLiteConnection) throws(SQLiteError) {
        let moved = entities.filter { !$0.keepsBits }
        if moved.isEmpty { return }
        let changes = Dictionary(moved.map { (Int64($0.old), $0) }) { first, _ in first }
        try connection.registerFunction(
            name: MigrationSQL.bitmap, arguments: 2, isDeterministic: true, isInnocuous: false
        ) { arguments in
            guard let change = changes[arguments.int64(0)] else { return .null }
            let former = change.formerLayout.properties(in: arguments.blob(1))
            return .blob(change.layout.bitmap(of: former.compactMap { change.properties[$0] }))
        }
        try connection.execute(
            "UPDATE ACHANGE SET ZCOLUMNS = \(MigrationSQL.bitmap)(ZENTITY, ZCOLUMNS) "
                + "WHERE ZCOLUMNS NOT NULL AND ZENTITY IN (\(SQLName.list(moved.map(\.old).sorted())))")
    }

    private func moveTombstones(on connection: SQLiteConnection) throws(SQLiteError) {
        for change in entities where !change.keepsTombstones {
            let count = max(change.tombstones.count, change.formerLayout.preserved.count)
            let assignments = (0..<count).map { place in
                let origin = place < change.tombstones.count ? change.tombstones[place] : nil
                return "ZTOMBSTONE\(place) = \(origin.map { "ZTOMBSTONE\($0)" } ?? "NULL")"
            }
            try connection.execute(
                "UPDATE ACHANGE SET \(assignments.joined(separator: ", ")) "
                    + "WHERE ZCHANGETYPE = 2 AND ZENTITY = \(change.old)")
        }
    }
}
