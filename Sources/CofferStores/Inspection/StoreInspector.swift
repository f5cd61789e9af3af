internal import CofferFormats
package import CofferLinux
package import CofferModel
internal import CofferSQLite

/// Looks into a store's file through a VFS that writes nothing, and goes on if something cannot be read.
///
/// Confined.
package struct StoreInspector {
    let opening: StoreOpening
    private let given: ManagedObjectModel?
    var inspection: StoreInspection

    /// Looks at the file, with `model` if the file keeps none, or another one is to be tried.
    ///
    /// - Throws: `StoreError.notFound`, and `.notAStore` if it is not a store of any kind.
    package static func inspect(
        _ fileName: String, in folder: Folder, model: ManagedObjectModel? = nil,
        configuration: String = ManagedObjectModel.defaultConfiguration
    ) throws(StoreError) -> StoreInspection {
        var options = StoreOptions()
        options.isReadOnly = true
        options.mustExist = true
        let opening = try StoreOpening(folder, fileName, configuration: configuration, options: options)
        let facts = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
        guard let facts else { throw .notFound(path: opening.path) }
        guard facts.kind == .file else {
            throw .notAStore(path: opening.path, detail: "it is not a regular file")
        }
        var inspector = StoreInspector(opening: opening, model: model)
        inspector.inspection.sizes.file = facts.byteCount
        do throws(StoreError) {
            try inspector.run()
        } catch .notAStore(let path, let detail) {
            // Nothing of SQLite's has locks on it, so it may be opened otherwise.
            guard
                let other = try AtomicStoreInspection.of(
                    fileName, in: folder, path: path, model: model)
            else {
                throw .notAStore(path: path, detail: detail)
            }
            inspector.inspection = other
            inspector.inspection.sizes.file = facts.byteCount
        }
        return inspector.inspection
    }

    private init(opening: StoreOpening, model: ManagedObjectModel?) {
        self.opening = opening
        given = model
        inspection = StoreInspection(storeType: "SQLite")
    }

    private mutating func run() throws(StoreError) {
        let connection = try opening.connect(.readOnly, through: opening.vfs)
        try measure(connection)
        var facts: StoreFacts?
        do throws(StoreError) {
            facts = try StoreFacts(reading: connection, path: opening.path)
        } catch {
            if case .notAStore = error { throw error }
            note(error)
        }
        if let facts {
            inspection.uuid = facts.uuid
            inspection.storeType = facts.metadata.storeType ?? "SQLite"
            inspection.frameworkVersion = facts.metadata.frameworkVersion
            inspection.versionIdentifiers = facts.metadata.versionIdentifiers ?? []
            inspection.isOwn = facts.tables.contains("COFFER_STATE")
            let schema = findModel(facts, on: connection)
            countRows(facts, schema, on: connection)
            readHistory(facts, on: connection)
            listUnknowns(facts, schema)
            judgeWriting(facts, schema, on: connection)
            if let schema { lookForFiles(schema, on: connection) }
        }
        checkIntegrity(connection)
    }

    /// Says that something could not be looked at, or is wrong.
    mutating func note(_ error: StoreError) { note(error.description) }

    mutating func note(_ problem: String) {
        if inspection.health.problems.count < Limits.toldItems { inspection.health.problems.append(problem) }
    }

    /// Does what may fail, and notes the error if it does.
    mutating func attempt(_ body: (inout StoreInspection) throws(SQLiteError) -> Void) {
        do throws(SQLiteError) {
            try body(&inspection)
        } catch {
            note(StoreError(error))
        }
    }
}

extension StoreInspector {
    /// The sizes that SQLite knows, which is the first that is read of the file.
    ///
    /// - Throws: `notAStore` if it is not a database; what else fails is noted.
    private mutating func measure(_ connection: SQLiteConnection) throws(StoreError) {
        do throws(SQLiteError) {
            inspection.health.journalMode = try connection.pragma("journal_mode")
            func number(_ pragma: String) throws(SQLiteError) -> Int {
                try connection.pragma(pragma).flatMap { Int($0) } ?? 0
            }
            inspection.sizes.page = try number("page_size")
            inspection.sizes.pages = try number("page_count")
            inspection.sizes.freePages = try number("freelist_count")
        } catch {
            let error = StoreError(error)
            if case .notAStore = error { throw error }
            note(error)
        }
        do throws(LinuxError) {
            inspection.sizes.log = try opening.folder.facts(of: opening.fileName + "-wal")?.byteCount
        } catch {
            note(StoreError(error))
        }
    }

    /// The model, and where it says that objects are; `nil` if none is known or it is not the file's.
    private mutating func findModel(_ facts: StoreFacts, on connection: SQLiteConnection) -> SQLSchema? {
        do throws(StoreError) {
            let model: StoreModel
            if let given {
                model = try StoreModel(given)
                inspection.modelSource = .given
            } else {
                model = try keptOrGuessedModel(facts, on: connection)
            }
            inspection.model = model.model
            if inspection.modelSource != .guessed {
                do throws(StoreError) {
                    try opening.checkHashes(of: facts, against: model.model, on: connection)
                } catch {
                    note(error)
                }
            }
            let schema = try SQLSchema(
                model: model.model, configuration: opening.configuration,
                numbers: opening.numbers(of: model.model, on: connection),
                present: opening.columnsOfJoins(on: connection))
            do throws(StoreError) {
                try opening.checkFit(of: model, schema, on: connection, tables: facts.tables)
            } catch {
                note(error)
            }
            return schema
        } catch {
            // That a file keeps no model is a fact of it, which modelSource says, and no fault.
            if case .unknownModel = error { return nil }
            note(error)
            return nil
        }
    }

    /// The model that the file keeps, else the one that its tables tell.
    private mutating func keptOrGuessedModel(
        _ facts: StoreFacts, on connection: SQLiteConnection
    ) throws(StoreError) -> StoreModel {
        do throws(StoreError) {
            let model = try opening.keptModel(on: connection, tables: facts.tables)
            inspection.modelSource = inspection.isOwn ? .store : .cache
            return model
        } catch .unknownModel {
            let model = try StoreModel(GuessedModel.model(on: connection, path: opening.path))
            inspection.modelSource = .guessed
            return model
        } catch {
            throw error
        }
    }

    /// What it takes to write into it.
    private mutating func judgeWriting(
        _ facts: StoreFacts, _ schema: SQLSchema?, on connection: SQLiteConnection
    ) {
        guard let schema else {
            inspection.health.writing = .refused("its model is not known, or does not fit")
            return
        }
        if inspection.modelSource == .guessed {
            inspection.health.writing = .refused(StoreInspection.guessedText)
            return
        }
        if inspection.isOwn {
            inspection.health.writing =
                facts.schema.trust(of: schema).unknownItem.map {
                    .refused("its \($0) is neither Coffer's nor Core Data's, and may run without end")
                } ?? .ready
            return
        }
        do throws(StoreError) {
            let adoption = try Adoption(of: facts, schema, on: connection)
            inspection.health.writing =
                adoption.obstacle.map { .refused($0) } ?? .adoption(adoption.additions)
        } catch {
            note(error)
        }
    }

    /// Makes SQLite check every page.
    private mutating func checkIntegrity(_ connection: SQLiteConnection) {
        attempt { inspection throws(SQLiteError) in
            let statement = try connection.prepare("PRAGMA integrity_check(\(Limits.toldItems))")
            var lines: [String] = []
            while try statement.step() { lines.append(statement.text(0)) }
            inspection.health.integrity = lines == ["ok"] ? [] : lines
        }
    }
}
