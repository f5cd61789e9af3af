internal import CofferFormats
internal import CofferModel
internal import CofferSQLite
internal import CofferWire

// Whether a file fits a model, and the model that it keeps.

extension StoreOpening {
    /// Whether the store was made with the same entities, by their version hashes.
    ///
    /// Other differences are found by means of the model that the file keeps, if any.
    func checkHashes(
        of facts: StoreFacts, against model: ManagedObjectModel, on connection: SQLiteConnection
    ) throws(StoreError) {
        guard let hashes = VersionHashes(of: model, configuration: configuration) else {
            throw .unknownConfiguration(configuration)
        }
        let (wanted, stored) = (hashes.entities, facts.metadata.versionHashes)
        if wanted == stored { return }
        // The hashes of a store of ours, as they once were computed.
        let past = VersionHashes.Rules.allCases.filter { $0 != .current }
        if past.contains(where: {
            VersionHashes(of: model, configuration: configuration, rules: $0)?.entities == stored
        }) {
            return
        }
        if VersionHashes.fit(stored, model, configuration: configuration) { return }
        let missing = wanted.keys.filter { stored[$0] == nil }.sorted()
        let unknown = stored.keys.filter { wanted[$0] == nil }.sorted()
        let differing = wanted.filter { name, hash in stored[name].map { $0 != hash } ?? false }.keys.sorted()
        throw .incompatible(
            differing: differing, missing: missing, unknown: unknown,
            changes: changes(to: model, on: connection, tables: facts.tables))
    }

    /// The differences between the model that the store keeps and `model`, for people; empty if it keeps
    /// none that can be read.
    private func changes(
        to model: ManagedObjectModel, on connection: SQLiteConnection, tables: Set<String>
    ) -> [String] {
        do throws(StoreError) {
            let kept = try keptModel(on: connection, tables: tables).model
            do throws(MigrationError) {
                return try ModelDifference(from: kept, to: model).changes.map(\.description)
            } catch {
                return [error.description]
            }
        } catch {
            return []  // The error that this is a part of says which entities differ.
        }
    }

    /// The model that the store keeps.
    func keptModel(
        on connection: SQLiteConnection, tables: Set<String>
    ) throws(StoreError) -> StoreModel {
        guard tables.contains("COFFER_MODEL"), tables.contains("COFFER_STATE") else {
            return try cachedModel(on: connection, tables: tables)
        }
        let kept = try translating { () throws(SQLiteError) -> ([UInt8], [UInt8])? in
            let statement = try connection.prepare(
                "SELECT id, model FROM COFFER_MODEL WHERE id = (SELECT value FROM COFFER_STATE WHERE name = 'model')"
            )
            return try statement.step() ? (statement.blob(0), statement.blob(1)) : nil
        }
        guard let (id, bytes) = kept else { throw .unknownModel(path: path) }
        do throws(WireError) {
            return StoreModel(model: try ModelMessage.unpack(bytes), id: id, bytes: bytes)
        } catch {
            throw .damaged(path: path, detail: "the model that it keeps cannot be read (\(error))")
        }
    }

    /// The model that a store of Core Data's keeps.
    private func cachedModel(
        on connection: SQLiteConnection, tables: Set<String>
    ) throws(StoreError) -> StoreModel {
        guard tables.contains("Z_MODELCACHE") else { throw .unknownModel(path: path) }
        let content = try translating { () throws(SQLiteError) in
            let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
            return try statement.step() ? statement.blob(0) : []
        }
        guard !content.isEmpty else { throw .unknownModel(path: path) }
        let model: ManagedObjectModel
        do throws(FormatError) {
            model = try ModelCache.read(content)
        } catch .unsupported, .inconsistentModel {
            // The file is sound: it is read by its tables, and written by a model that is given.
            throw .unknownModel(path: path)
        } catch {
            throw .damaged(path: path, detail: "the model that it keeps cannot be read (\(error))")
        }
        return try StoreModel(model)
    }
}

extension StoreOpening {
    /// The numbers by which the store knows the model's entities.
    func numbers(of model: ManagedObjectModel, on connection: SQLiteConnection) throws(StoreError)
        -> EntityNumbers
    {
        let stored = try translating { () throws(SQLiteError) -> [String: Int64] in
            // Above them are the numbers of history's rows, whose names may also be names of entities.
            let statement = try connection.prepare(
                "SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT < \(FixedTables.changeEntity)")
            var numbers: [String: Int64] = [:]
            while try statement.step() { numbers[statement.text(0)] = statement.int64(1) }
            return numbers
        }
        let numbers = EntityNumbers(of: model, in: stored)
        for entity in model.entities(in: configuration) ?? [] where !numbers.knows(entity.index) {
            throw .damaged(path: path, detail: "Z_PRIMARYKEY has no number for the entity '\(entity.name)'")
        }
        return numbers
    }

    /// The columns of the tables that may belong to many-to-many relationships, by table name.
    func columnsOfJoins(on connection: SQLiteConnection) throws(StoreError) -> [String: [String]] {
        try translating { () throws(SQLiteError) in
            let statement = try connection.prepare(
                "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
                    + "WHERE m.type = 'table' AND m.name GLOB 'Z_[0-9]*' ORDER BY m.name, c.cid")
            var columns: [String: [String]] = [:]
            while try statement.step() { columns[statement.text(0), default: []].append(statement.text(1)) }
            return columns
        }
    }

    /// Whether the file has what the model requires beyond its hashes, which do not cover everything.
    ///
    /// Nothing is checked if the file keeps exactly this model.
    func checkFit(
        of model: StoreModel, _ schema: SQLSchema, on connection: SQLiteConnection, tables: Set<String>
    ) throws(StoreError) {
        let isOwn = tables.contains("COFFER_STATE")
        if isOwn {
            let isKept = try translating { () throws(SQLiteError) in
                try StoreCreation.keeps(model, on: connection)
            }
            if isKept { return }
            try checkStorage(of: schema, on: connection, tables: tables)
        }
        for table in schema.tables {
            let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name)
            if let lack = lack(of: columns, in: table.name, on: connection) {
                // A configuration does not say that an entity outside of it inherits from one of its own, and
                // has columns in its table.
                let tree = schema.model.entities[table.root].familyIndices
                guard isOwn || tree.contains(where: { schema.entities[$0] == nil }) else {
                    throw .damaged(path: path, detail: lack)
                }
                let differing = tree.filter { schema.entities[$0] != nil }.map {
                    schema.model.entities[$0].name
                }
                throw .incompatible(differing: differing.sorted(), missing: [], unknown: [])
            }
        }
        for table in schema.joinTables {
            let columns = [table.first, table.second] + table.orderColumns
            if let lack = lack(of: columns, in: table.identifier, on: connection) {
                throw .damaged(path: path, detail: lack)
            }
        }
    }

    /// Whether the stored form of values is the same: an attribute that may use external files has a marker
    /// before its bytes.
    ///
    /// Hashes do not distinguish an attribute with external storage from one whose values history preserves.
    private func checkStorage(
        of schema: SQLSchema, on connection: SQLiteConnection, tables: Set<String>
    ) throws(StoreError) {
        let kept: ManagedObjectModel
        do throws(StoreError) {
            kept = try keptModel(on: connection, tables: tables).model
        } catch {
            switch error {
            // The file keeps no model, or none that tells: the hashes decide.
            case .unknownModel, .damaged: return
            default: throw error
            }
        }
        let differing = schema.model.entities.filter { entity in
            guard schema.entities[entity.index] != nil, let old = kept.entity(named: entity.name) else {
                return false
            }
            return entity.attributes.contains { attribute in
                guard !attribute.isTransient, let past = old.property(named: attribute.name)?.attribute else {
                    return false
                }
                return past.allowsExternalStorage != attribute.allowsExternalStorage
            }
        }
        if differing.isEmpty { return }
        throw .incompatible(differing: differing.map(\.name).sorted(), missing: [], unknown: [])
    }

    /// What is wrong with a table that lacks some of `columns`.
    private func lack(of columns: [String], in table: String, on connection: SQLiteConnection) -> String? {
        do throws(SQLiteError) {
            _ = try connection.prepare("SELECT \(columns.joined(separator: ", ")) FROM \(table)")
            return nil
        } catch {
            return "the table \(table) is not as the model has it (\(error))"
        }
    }
}
