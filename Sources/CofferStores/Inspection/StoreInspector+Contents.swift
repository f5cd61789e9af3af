internal import CofferFormats
internal import CofferLinux
internal import CofferModel
internal import CofferSQLite

extension StoreInspector {
    /// How many objects each entity has, and what of it the model says.
    mutating func countRows(_ facts: StoreFacts, _ schema: SQLSchema?, on connection: SQLiteConnection) {
        guard let schema else { return countWithoutModel(facts, on: connection) }
        var rows: [Int: Int] = [:]
        var unread: Set<String> = []
        for table in schema.tables {
            var strangers: [String] = []
            attempt { _ throws(SQLiteError) in
                unread.insert(table.name)
                let statement = try connection.prepare(
                    "SELECT Z_ENT, count(*) FROM \(table.name) GROUP BY Z_ENT")
                while try statement.step() {
                    let (number, count) = (Int(statement.int64(0)), Int(statement.int64(1)))
                    if let entity = schema.entity(numbered: number), entity.table == table.name {
                        rows[entity.index] = count
                    } else if strangers.count < Limits.toldItems {
                        strangers.append(
                            "\(count) rows of \(table.name) are of the entity \(number), which it does not have"
                        )
                    }
                }
                unread.remove(table.name)
            }
            for stranger in strangers { note(stranger) }
        }
        let model = schema.model
        inspection.entities = model.entities.compactMap { entity in
            guard let stored = schema.entities[entity.index] else { return nil }
            return StoreInspection.Entity(
                entity, of: model, rows: unread.contains(stored.table) ? nil : rows[entity.index] ?? 0)
        }.sorted { $0.name < $1.name }
    }

    /// The entities that the file numbers: the table of each tree is named for its root.
    private mutating func countWithoutModel(_ facts: StoreFacts, on connection: SQLiteConnection) {
        attempt { inspection throws(SQLiteError) in
            let statement = try connection.prepare(
                "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < \(FixedTables.changeEntity)")
            var entities: [Int64: (name: String, parent: Int64)] = [:]
            while try statement.step() {
                entities[statement.int64(0)] = (statement.text(1), statement.int64(2))
            }
            for (number, entity) in entities {
                let rows = try Self.count(number, of: entities, in: facts, on: connection)
                inspection.entities.append(
                    StoreInspection.Entity(
                        name: entity.name, parent: entities[entity.parent]?.name, isAbstract: false,
                        rows: rows, attributes: [], relationships: []))
            }
            inspection.entities.sort { $0.name < $1.name }
        }
    }

    /// The rows of an entity; `nil` if it has no table.
    private static func count(
        _ number: Int64, of entities: [Int64: (name: String, parent: Int64)], in facts: StoreFacts,
        on connection: SQLiteConnection
    ) throws(SQLiteError) -> Int? {
        var root = number
        // A file may say that entities inherit in a circle.
        for _ in entities {
            guard let parent = entities[root]?.parent, entities[parent] != nil else { break }
            root = parent
        }
        guard let name = entities[root]?.name else { return nil }
        let table = "Z" + name.uppercased()
        guard facts.tables.contains(table), facts.schema.virtualName(among: [table]) == nil else {
            return nil
        }
        let statement = try connection.prepare(
            "SELECT count(*) FROM \(SQLName.bareOrQuoted(table)) WHERE Z_ENT = ?1")
        try statement.bind(number, at: 1)
        return try statement.step() ? Int(statement.int64(0)) : nil
    }

    /// What its history holds.
    mutating func readHistory(_ facts: StoreFacts, on connection: SQLiteConnection) {
        guard facts.tables.contains("ATRANSACTION"), facts.tables.contains("ACHANGE") else { return }
        attempt { inspection throws(SQLiteError) in
            var history = StoreInspection.History()
            history.lastNumber = facts.lastTransaction
            let transactions = try connection.prepare(
                "SELECT count(*), min(ZTIMESTAMP), max(ZTIMESTAMP) FROM ATRANSACTION")
            if try transactions.step() {
                history.transactions = Int(transactions.int64(0))
                if history.transactions > 0 {
                    history.first = transactions.double(1)
                    history.last = transactions.double(2)
                }
            }
            let changes = try connection.prepare("SELECT count(*) FROM ACHANGE")
            if try changes.step() { history.changes = Int(changes.int64(0)) }
            inspection.history = history
        }
    }

    /// Lists the tables and triggers that are neither the model's, nor Core Data's, nor ours.
    mutating func listUnknowns(_ facts: StoreFacts, _ schema: SQLSchema?) {
        var known = Set(FixedTables.names)
        known.formUnion((schema?.tableNames ?? []).map { $0.uppercased() })
        let prefixes = ["COFFER_", "SQLITE_", "ANSCK", "Z_RT_"]
        inspection.health.unknownTables = facts.tables.filter { name in
            let capitals = name.uppercased()
            if known.contains(capitals) || prefixes.contains(where: { capitals.hasPrefix($0) }) {
                return false
            }
            // Without a model it is unknown which of Core Data's names are which entity's.
            return schema != nil || !capitals.hasPrefix("Z")
        }.sorted()
        if let schema {
            inspection.health.unknownTriggers =
                schema.foreignTriggers(among: facts.schema.triggers).sorted()
        }
    }

    /// Whether the files that values are in are there, and how large they are.
    mutating func lookForFiles(_ schema: SQLSchema, on connection: SQLiteConnection) {
        do throws(StoreError) {
            let support = SupportFolder(of: opening.fileName).values
            let values: Folder?
            do throws(LinuxError) {
                values = try opening.folder.folder(support)
            } catch {
                guard error.isNotFound else { throw StoreError(error) }
                values = nil
            }
            if let values {
                try translatingSystem { () throws(LinuxError) in
                    for name in try values.names() {
                        guard let facts = try values.facts(of: name), facts.kind == .file else { continue }
                        inspection.sizes.externalFiles += 1
                        inspection.sizes.external += facts.byteCount
                    }
                }
            }
            let filed = FiledValues(columns: schema.externalColumns, path: opening.path)
            for row in try filed.rows(in: connection) {
                let isThere = try translatingSystem { () throws(LinuxError) in
                    try values?.facts(of: row.name)?.kind == .file
                }
                if isThere { continue }
                inspection.health.missingFileCount += 1
                if inspection.health.missingFiles.count < Limits.toldItems {
                    inspection.health.missingFiles.append("\(support)/\(row.name)")
                }
            }
        } catch {
            note(error)
        }
    }
}

extension StoreInspection.Entity {
    /// What a model says of an entity.
    init(_ entity: EntityDescription, of model: ManagedObjectModel, rows: Int?) {
        var attributes: [StoreInspection.Attribute] = []
        var relationships: [StoreInspection.Relationship] = []
        for property in entity.properties {
            switch property {
            case .attribute(let attribute):
                attributes.append(
                    .init(
                        name: attribute.name, type: attribute.type.name, isOptional: attribute.isOptional))
            case .relationship(let relationship):
                relationships.append(
                    .init(
                        name: relationship.name, destination: model.destination(of: relationship).name,
                        inverse: model.inverse(of: relationship)?.name, isToMany: relationship.isToMany,
                        isOrdered: relationship.isOrdered))
            }
        }
        self.init(
            name: entity.name, parent: entity.superentityIndex.map { model.entities[$0].name },
            isAbstract: entity.isAbstract, rows: rows, attributes: attributes, relationships: relationships)
    }
}
