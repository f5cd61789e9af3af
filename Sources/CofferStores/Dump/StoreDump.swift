internal import CofferFormats
package import CofferLinux
package import CofferModel
internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

/// Reads the objects of a store's file one after the other, in one state and in bounded memory, and writes
/// them as bytes; nothing of the file or beside it changes.
///
/// Confined.
package final class StoreDump {
    private enum State {
        case beginning
        /// Before the entity of this index.
        case before(Int)
        case within(Int, SQLiteStatement)
        /// Behind what cannot be read; from there on, the rows of all entities of the table are read.
        case behind(Int, SQLiteStatement)
        case ended
    }

    let file: StoreFile
    let connection: SQLiteConnection
    private let entities: [DumpEntity]
    private var encoder: DumpEncoder
    private var state = State.beginning
    /// A value on its way, with the room of those before it.
    var content: [UInt8] = []
    /// The key of the row that was read last; `nil` before the first of an entity.
    private var lastKey: Int64?

    /// How many objects were written so far.
    package private(set) var objectCount = 0
    /// Values that are null in the dump because their files are missing or the store's is damaged, each with
    /// its object; `Limits.toldItems` at most.
    package internal(set) var missingValues: [String] = []
    /// How many such values there are.
    package internal(set) var missingValueCount = 0
    /// The objects that are left out since the file is damaged.
    package internal(set) var unreadable = UnreadableObjects()
    /// What is not in the dump, each a sentence.
    package var omissions: [String] { entities.flatMap(\.omissions) }

    /// Opens the file, with `model` if it keeps none, for all entities or only the one named `entity`.
    ///
    /// - Throws: What `StoreFile.open` throws for a file that is only read; `unknownEntity`.
    package init(
        _ fileName: String, in folder: Folder, model: ManagedObjectModel? = nil,
        configuration: String = ManagedObjectModel.defaultConfiguration, entity: String? = nil,
        format: DumpFormat
    ) throws(StoreError) {
        var options = StoreOptions()
        options.isReadOnly = true
        options.mustExist = true
        file = try StoreFile.open(
            in: folder, fileName: fileName,
            model: model.map { model throws(StoreError) in try StoreModel(model) },
            configuration: configuration, options: options)
        connection = try file.makeReader()
        let (schema, hasDigits) = (file.schema, file.hasOwnTables)
        var entities: [DumpEntity] = []
        for case let stored? in schema.entities {
            if let entity, schema.model.entities[stored.index].name != entity { continue }
            entities.append(try DumpEntity(stored, of: schema, hasDigits: hasDigits))
        }
        if let entity, entities.isEmpty { throw .unknownEntity(entity) }
        self.entities = entities.sorted { $0.name < $1.name }
        encoder = DumpEncoder(format, uuid: file.uuid.uuidString)
        let connection = connection
        try translating { () throws(SQLiteError) in try connection.begin(.deferred) }
    }

    /// Whether the file keeps no model, and the objects are by one that its tables tell.
    package var isModelGuessed: Bool { file.isModelGuessed }

    /// How many entities it has.
    package var entityCount: Int { entities.count }

    /// How many objects there are to be written.
    ///
    /// - Throws: `StoreError` if the file cannot be read.
    package func countObjects() throws(StoreError) -> Int {
        try translating { () throws(SQLiteError) in
            var count = 0
            for entity in entities {
                let statement = try connection.prepare(entity.countSQL)
                if try statement.step() { count += Int(statement.int64(0)) }
            }
            return count
        }
    }

    /// Appends the next objects to `bytes`, about `Limits.dumpPieceBytes`; says whether there may be more.
    ///
    /// What cannot be read is left out, and told by `unreadable`.
    /// - Throws: `StoreError` if it cannot go on: then `abandon` ends what was written.
    package func write(to bytes: inout [UInt8]) throws(StoreError) -> Bool {
        while bytes.count < Limits.dumpPieceBytes {
            switch state {
            case .beginning:
                encoder.begin(&bytes)
                state = .before(0)
            case .before(let index) where index == entities.count:
                encoder.end(&bytes, isWhole: true)
                state = .ended
            case .before(let index):
                encoder.begin(entities[index], &bytes)
                lastKey = nil
                state = .within(index, try rows(entities[index].sql, from: .min))
            case .within(let index, let statement), .behind(let index, let statement):
                do throws(StoreError) {
                    state = try next(of: index, statement, to: &bytes) ? state : .before(index + 1)
                } catch  where error.isOfUnreadablePages {
                    state = try state(of: index, behind: error)
                }
            case .ended: return false
            }
        }
        return true
    }

    /// Appends what makes a whole of what was written so far; nothing is written after it.
    package func abandon(_ bytes: inout [UInt8]) {
        switch state {
        case .before, .within, .behind: encoder.end(&bytes, isWhole: false)
        case .beginning, .ended: break
        }
        state = .ended
    }
}

extension StoreDump {
    /// A statement that reads rows from a key on.
    private func rows(_ sql: String, from key: Int64) throws(StoreError) -> SQLiteStatement {
        try translating { () throws(SQLiteError) in
            let statement = try connection.prepare(sql)
            try statement.bind(key, at: 1)
            return statement
        }
    }

    /// Writes the next row of an entity; `false` if there are none.
    private func next(
        of index: Int, _ statement: SQLiteStatement, to bytes: inout [UInt8]
    ) throws(StoreError) -> Bool {
        let entity = entities[index]
        guard try translating({ () throws(SQLiteError) in try statement.step() }) else { return false }
        lastKey = statement.int64(0)
        if case .behind = state, entity.hasSeveral,
            statement.int64(entity.columnCount) != Int64(entity.table.number)
        {
            return true
        }
        do throws(StoreError) {
            try write(entity, statement, to: &bytes)
        } catch  where error.isOfUnreadablePages {
            unreadable.add(statement.int64(0), of: entity, error)
        }
        return true
    }

    /// Where it goes on once a row of an entity could not be read.
    private func state(of index: Int, behind error: StoreError) throws(StoreError) -> State {
        let entity = entities[index]
        let start = lastKey.map { $0 == .max ? $0 : $0 + 1 }
        guard let key = unreadable.add(entity, from: start, error, on: connection) else {
            return .before(index + 1)
        }
        lastKey = key - 1
        return .behind(index, try rows(entity.sqlOfAll, from: key))
    }

    private func write(
        _ entity: DumpEntity, _ statement: SQLiteStatement, to bytes: inout [UInt8]
    ) throws(StoreError) {
        let (start, key) = (bytes.count, statement.int64(0))
        do throws(StoreError) {
            encoder.beginObject(entity, key: key, &bytes)
            for field in entity.fields {
                content.removeAll(keepingCapacity: true)
                let value = try read(field, of: entity, key: key, statement)
                encoder.append(field, value, content: content, to: &bytes)
            }
            encoder.endObject(&bytes)
        } catch {
            // No half of an object.
            bytes.removeLast(bytes.count - start)
            throw error
        }
        objectCount += 1
    }
}

extension StoreDump {
    /// What SQLite's own check of the file says, with the numbers of pages; reads all of the file.
    package func damagedPages() -> [String] {
        var problems: [String] = []
        do throws(SQLiteError) {
            try connection.integrityCheck { problems.append($0) }
        } catch {
            problems.append("\(StoreError(error))")
        }
        // The name of the database stands in a line before what is wrong with it.
        return problems.flatMap { $0.split(separator: "\n") }.map { String($0) }
            .filter { !$0.hasPrefix("*** in database") }
    }
}
