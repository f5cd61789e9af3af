internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// What reading a row needs besides the row.
///
/// Confined to its reader.
final class RowContext {
    private let indices: [UInt32?]
    private let schema: SQLSchema
    private let path: String
    private let externalBytes: (String) throws(StoreError) -> [UInt8]?
    private let onMissingFile: StoreReader.MissingFileReport
    /// Whether a value whose file is missing is an error, and not null.
    var needsFiles = false
    /// Values that are null since their files are missing, by row and property; `Limits.toldItems` at most.
    private var missing: [(row: Int, property: Int, file: String)] = []
    /// Rows that one answer, or a part of one, may have.
    let rowLimit: Int
    /// Whether it is to be known of the rows' text what it is.
    let looksAtText: Bool

    /// What reading rows of the file at `path` needs.
    init(
        schema: SQLSchema, path: String, rowLimit: Int, looksAtText: Bool,
        externalBytes: @escaping (String) throws(StoreError) -> [UInt8]?,
        onMissingFile: @escaping StoreReader.MissingFileReport
    ) {
        self.rowLimit = rowLimit
        self.looksAtText = looksAtText
        var indices: [UInt32?] = []
        for case let entity? in schema.entities where entity.number >= 0 {
            while indices.count <= entity.number { indices.append(nil) }
            indices[entity.number] = UInt32(entity.index)
        }
        self.indices = indices
        self.schema = schema
        self.path = path
        self.externalBytes = externalBytes
        self.onMissingFile = onMissingFile
    }

    /// The index of the entity with a number of the file.
    func entityIndex(_ number: Int64) -> UInt32? {
        number >= 0 && number < indices.count ? indices[Int(number)] : nil
    }

    /// The entities whose objects are objects of an entity.
    func family(of entity: Int) -> Range<Int> { schema.model.entities[entity].familyIndices }

    /// The error for a row whose version is not valid.
    func unsound(version: Int64, of key: Int64, entity: UInt32) -> StoreError {
        StoreError(.unsound(version: version, of: key, schema.model.entities[Int(entity)].name, path: path))
    }

    /// The value of stored bytes that may name a file: `01` and the bytes, or `02`, the name of a file and
    /// `00`; `nil` if that file is missing.
    func external(_ stored: [UInt8], row: Int, property: Int) throws(StoreError) -> [UInt8]? {
        try ExternalData.value(stored) { name throws(StoreError) in
            let bytes = try externalBytes(name)
            if bytes == nil, missing.count < Limits.toldItems { missing.append((row, property, name)) }
            return bytes
        }
    }

    /// Tells of the files that are missing for the rows so far.
    ///
    /// If the rows are objects, `object` says which object a row is, and the properties are those of
    /// `entity`.
    ///
    /// - Throws: `damaged` for the first of them if files are needed, here or for all that is read.
    func tellMissing(
        of entity: Int, isNeeded: Bool, _ object: (_ row: Int) -> (entity: Int, key: Int64)?
    ) throws(StoreError) {
        if missing.isEmpty { return }
        defer { missing = [] }
        let properties = schema.model.entities[entity].properties
        for value in missing {
            var told = MissingValue(store: path, file: value.file)
            if let object = object(value.row) {
                told.entity = schema.model.entities[object.entity].name
                told.primaryKey = object.key
                told.attribute =
                    properties.indices.contains(value.property) ? properties[value.property].name : nil
            }
            if needsFiles || isNeeded { throw .damaged(path: path, detail: told.reason) }
            onMissingFile(told)
        }
    }
}

/// Steps through a statement and gathers its rows into columns.
///
/// Kept with its query: if answers are small, the next one uses the room of the last one again.
struct RowBatchReader {
    /// The rows of an answer that are not sent yet: if the answer has more than these, they are sent as a
    /// part of their own.
    typealias Part = (PackedRows) -> Void

    private let query: CompiledQuery
    private let context: RowContext
    private let rowByteCount: Int
    /// The entities whose rows may be found.
    private let family: Range<Int>
    private var row = 0
    private var fillers: [ColumnFiller] = []
    private var entities: [UInt32] = []
    private var primaryKeys: [Int64] = []
    private var versions: [UInt32] = []

    init(_ query: CompiledQuery, context: RowContext) {
        self.query = query
        self.context = context
        family = context.family(of: query.entity)
        var column = (query.hasEntity ? 1 : 0) + (query.hasKey ? 1 : 0) + (query.hasVersion ? 1 : 0)
        fillers.reserveCapacity(query.values.count)
        var rowByteCount = (query.hasKey ? 8 : 0) + (query.hasVersion ? 4 : 0)
        for value in query.values {
            let kind = ColumnFiller.Kind(value)
            fillers.append(ColumnFiller(kind, property: value.property, column: column))
            column += kind.width
            rowByteCount += kind.fixedByteCount
        }
        self.rowByteCount = max(1, rowByteCount)  // Rows of bits alone are to go in parts, too.
    }

    /// All rows of `statement`, which stands on the first unless there is none; but whenever there are
    /// `partByteCount` bytes of them, at first fewer, `part` takes those.
    ///
    /// - Throws: `StoreError.tooLarge` as soon as all that is not sent passes `budget`, or has more rows than
    ///   a message.
    mutating func rows(
        _ statement: SQLiteStatement, hasRow: Bool, within budget: inout ByteBudget, partByteCount: Int,
        _ part: Part
    ) throws(StoreError) -> PackedRows {
        // Of a large answer the room is more than is worth keeping.
        defer { removeAll(keepingCapacity: capacity <= Limits.keptRowBytes) }
        try read(statement, hasRow: hasRow, within: &budget, partByteCount: partByteCount) {
            reader throws(StoreError) in
            part(try reader.packed())
            reader.removeAll(keepingCapacity: true)
        }
        return try packed()
    }

    private mutating func read(
        _ statement: SQLiteStatement, hasRow: Bool, within budget: inout ByteBudget, partByteCount: Int,
        _ isFull: (inout RowBatchReader) throws(StoreError) -> Void
    ) throws(StoreError) {
        defer { if statement.isRunning { statement.reset() } }
        var size = partByteCount == .max ? .max : min(partByteCount, CofferWire.Limits.firstPart)
        var end = budget.rest - size
        var hasRow = hasRow
        while true {
            try gather(statement, hasRow: &hasRow, within: &budget, downTo: end)
            if !hasRow { return }
            try isFull(&self)
            budget.startAnew()
            size = min(partByteCount, 2 * size)
            end = budget.rest - size
        }
    }

    /// Takes rows until there are no more, or until `budget` has less than `end` left.
    private mutating func gather(
        _ statement: SQLiteStatement, hasRow: inout Bool, within budget: inout ByteBudget, downTo end: Int
    ) throws(StoreError) {
        // Out of their place meanwhile, and looked at as memory: each value of each row comes by here.
        var fillers: [ColumnFiller] = []
        swap(&fillers, &self.fillers)
        defer { swap(&fillers, &self.fillers) }
        var columns = fillers.mutableSpan
        while hasRow, budget.rest >= end {
            // In a damaged file a row may be of any entity; a row that is not of the family is left out.
            if !query.hasEntity || isOfFamily(statement) {
                if row >= context.rowLimit { throw tooManyRows }
                try budget.take(rowByteCount)
                try appendIdentity(statement)
                for index in columns.indices {
                    try columns[index].append(row, of: statement, in: context, within: &budget)
                }
                row += 1
            }
            hasRow = try translating { () throws(SQLiteError) in try statement.step() }
        }
    }

    @inline(never)
    private var tooManyRows: StoreError {
        .tooLarge("the answer passes \(context.rowLimit) rows; ask for fewer with a limit")
    }

    private func isOfFamily(_ statement: SQLiteStatement) -> Bool {
        context.entityIndex(statement.int64(0)).map { family.contains(Int($0)) } ?? false
    }

    private mutating func appendIdentity(_ statement: SQLiteStatement) throws(StoreError) {
        var column = 0
        var entity = UInt32(query.entity)
        if query.hasEntity {
            entity = context.entityIndex(statement.int64(0)) ?? entity
            entities.append(entity)
            column = 1
        }
        if query.hasKey { primaryKeys.append(statement.int64(column)) }
        guard query.hasVersion else { return }
        let version = statement.int64(column + 1)
        guard let sound = UInt32(exactly: version) else {
            throw context.unsound(version: version, of: statement.int64(column), entity: entity)
        }
        versions.append(sound)
    }
}

extension RowBatchReader {
    /// Leaf entities of the rows; empty if all rows are of the query's entity.
    private var leafEntities: [UInt32] {
        entities.allSatisfy { $0 == UInt32(query.entity) } ? [] : entities
    }

    /// How many bytes the rows so far take, at most.
    private var byteCount: Int {
        var count = 4 * entities.count + 8 * primaryKeys.count + 4 * versions.count
        count += fillers.count * ((row + 7) / 8)  // Which of their values are null.
        for index in fillers.indices { count += fillers[index].byteCount }
        return count
    }

    /// The rows so far.
    private mutating func packed() throws(StoreError) -> PackedRows {
        // A dictionary says nothing of what it lacks, and nothing reads its value again.
        try context.tellMissing(of: query.entity, isNeeded: query.resultType == .dictionaries) { row in
            guard query.resultType == .objects, primaryKeys.indices.contains(row) else { return nil }
            return (entities.isEmpty ? query.entity : Int(entities[row]), primaryKeys[row])
        }
        do throws(WireError) {
            var builder = try PackedRowsBuilder(
                rowCount: row, entity: query.entity, columnCount: fillers.count, byteCount: byteCount,
                looksAtText: context.looksAtText)
            try builder.add(keys: primaryKeys, versions: versions, entities: leafEntities)
            for index in fillers.indices { try fillers[index].add(to: &builder, rowCount: row) }
            return builder.finish()
        } catch {
            throw .tooLarge("\(error): ask for fewer rows at once")
        }
    }

    /// Forgets the rows so far.
    private mutating func removeAll(keepingCapacity: Bool) {
        row = 0
        entities.removeAll(keepingCapacity: keepingCapacity)
        primaryKeys.removeAll(keepingCapacity: keepingCapacity)
        versions.removeAll(keepingCapacity: keepingCapacity)
        for index in fillers.indices { fillers[index].removeAll(keepingCapacity: keepingCapacity) }
    }

    /// About how many bytes it keeps room for.
    private var capacity: Int {
        var count = 4 * entities.capacity + 8 * primaryKeys.capacity + 4 * versions.capacity
        for index in fillers.indices { count += fillers[index].capacity }
        return count
    }
}
