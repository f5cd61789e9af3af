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
        case ended
    }

    private let file: StoreFile
    private let connection: SQLiteConnection
    private let entities: [DumpEntity]
    private var encoder: DumpEncoder
    private var state = State.beginning
    /// A value on its way, with the room of those before it.
    private var content: [UInt8] = []

    /// How many objects were written so far.
    package private(set) var objectCount = 0
    /// Values that are null in the dump because their files are missing, each with its object and file;
    /// `Limits.toldItems` at most.
    package private(set) var missingValues: [String] = []
    /// How many such values there are.
    package private(set) var missingValueCount = 0
    /// What is not in the dump, each a sentence.
    package var omissions: [String] { entities.flatMap(\.omissions) }

    /// Opens the file, with `model` where it keeps none; all entities, or the one of a name and no other.
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
    /// - Throws: `StoreError` where the file cannot be read.
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
    /// - Throws: `StoreError` where the file cannot be read: then `abandon` ends what was written.
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
                let sql = entities[index].sql
                state = .within(
                    index, try translating { () throws(SQLiteError) in try connection.prepare(sql) })
            case .within(let index, let statement):
                if try translating({ () throws(SQLiteError) in try statement.step() }) {
                    try write(entities[index], statement, to: &bytes)
                } else {
                    state = .before(index + 1)
                }
            case .ended: return false
            }
        }
        return true
    }

    /// Appends what makes a whole of what was written so far; nothing is written after it.
    package func abandon(_ bytes: inout [UInt8]) {
        switch state {
        case .before, .within: encoder.end(&bytes, isWhole: false)
        case .beginning, .ended: break
        }
        state = .ended
    }
}

extension StoreDump {
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

    /// Puts a value into `content`.
    private func read(
        _ field: DumpField, of entity: DumpEntity, key: Int64, _ statement: SQLiteStatement
    ) throws(StoreError) -> DumpEncoder.Value {
        switch field.kind {
        case .integer(let column):
            if statement.isNull(column) { return .null }
            content += "\(statement.int64(column))".utf8
            return .number
        case .boolean(let column):
            return statement.isNull(column) ? .null : .boolean(statement.int64(column) != 0)
        case .double(let column):
            return statement.isNull(column) ? .null : number(statement.double(column))
        case .float(let column):
            return statement.isNull(column) ? .null : number(Float(statement.double(column)))
        case .date(let column):
            if statement.isNull(column) { return .null }
            let date = Date(timeIntervalSinceReferenceDate: statement.double(column))
            content += DateText.text(of: date).utf8
            return .text
        case .text(let column):
            if statement.isNull(column) { return .null }
            statement.appendText(column, to: &content)
            // What is not UTF-8 would make the whole dump invalid.
            if content.contains(where: { $0 >= 0x80 }) {
                content = Array(String(decoding: content, as: UTF8.self).utf8)
            }
            return .text
        case .uuid(let column):
            statement.appendBlob(column, to: &content)
            guard content.count == 16 else { return .null }
            content = DumpText.uuid(content)
            return .text
        case .decimal(let column, let digits):
            let text = digits.flatMap { statement.isNull($0) ? nil : statement.text($0) }
            guard let parts = DecimalParts(statement, column, digits: text) else { return .null }
            content += DumpText.plain(parts).utf8
            return .number
        case .binary(let column, let mayBeFile):
            if statement.isNull(column) { return .null }
            statement.appendBlob(column, to: &content)
            return mayBeFile ? try readFile("\(entity.name)/p\(key) \(field.name)") : .binary
        case .object(let column, let name):
            if statement.isNull(column) { return .null }
            content += "\(name)/p\(statement.int64(column))".utf8
            return .ids
        case .objectOfMany(let column):
            if statement.isNull(column) { return .null }
            return append(statement.int64(column), ofEntity: statement.int64(column + 1)) ? .ids : .null
        case .objects(let sql):
            try readObjects(sql, of: key)
            return .ids
        }
    }

    private func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> DumpEncoder.Value {
        content += value.description.utf8
        return value.isFinite ? .number : .text
    }

    private func append(_ key: Int64, ofEntity number: Int64) -> Bool {
        guard let number = Int(exactly: number), let entity = file.schema.entity(numbered: number) else {
            return false
        }
        content += "\(file.schema.model.entities[entity.index].name)/p\(key)".utf8
        return true
    }

    private func readObjects(_ sql: String, of key: Int64) throws(StoreError) {
        try translating { () throws(SQLiteError) in
            let statement = try connection.cached(sql)
            try statement.bind(key, at: 1)
            defer { statement.reset() }
            while try statement.step() {
                if !content.isEmpty { content.append(UInt8(ascii: " ")) }
                if !append(statement.int64(0), ofEntity: statement.int64(1)) {
                    if !content.isEmpty { content.removeLast() }
                }
            }
        }
    }

    /// Puts the value into `content` that its row says, or that is in the file that the row names: where that
    /// is missing it is null, and told.
    private func readFile(_ place: String) throws(StoreError) -> DumpEncoder.Value {
        var reason = ""
        let value: [UInt8]?
        do throws(StoreError) {
            value = try ExternalData.value(content) { name throws(StoreError) in
                reason = "the file '\(name)' is missing"
                return try file.externalBytes(name)
            }
        } catch {
            guard case .tooLarge = error else { throw error }
            (value, reason) = (nil, "\(error)")
        }
        if let value {
            content = value
            return .binary
        }
        missingValueCount += 1
        if missingValues.count < Limits.toldItems { missingValues.append("\(place): \(reason)") }
        return .null
    }
}
