internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// What reading a row needs besides the row.
///
/// Confined to its reader.
final class RowContext {
    private let indices: [UInt32?]
    private let externalBytes: (String) throws(StoreError) -> [UInt8]

    init(schema: SQLSchema, externalBytes: @escaping (String) throws(StoreError) -> [UInt8]) {
        var indices: [UInt32?] = []
        for case let entity? in schema.entities where entity.number >= 0 {
            while indices.count <= entity.number { indices.append(nil) }
            indices[entity.number] = UInt32(entity.index)
        }
        self.indices = indices
        self.externalBytes = externalBytes
    }

    /// The index of the entity with a number of the file.
    func entityIndex(_ number: Int64) -> UInt32? {
        number >= 0 && number < indices.count ? indices[Int(number)] : nil
    }

    /// The value of a stored one that may lie outside: `01` and the bytes, or `02`, the name of a file and `00`.
    func external(_ stored: [UInt8]) throws(StoreError) -> [UInt8] {
        try ExternalData.value(stored, file: externalBytes)
    }
}

/// Steps through a statement and gathers its rows into columns.
struct RowBatchReader {
    /// The rows of an answer that are not sent yet: where there is more than that, they go as a part of their own.
    typealias Part = (RowBatch) -> Void

    private let query: CompiledQuery
    private let context: RowContext
    private let rowByteCount: Int
    private var row = 0
    private var fillers: [ColumnFiller] = []
    private var entities: [UInt32] = []
    private var primaryKeys: [Int64] = []
    private var versions: [UInt32] = []

    init(_ query: CompiledQuery, context: RowContext) {
        self.query = query
        self.context = context
        var column = (query.hasEntity ? 1 : 0) + (query.hasKey ? 1 : 0) + (query.hasVersion ? 1 : 0)
        fillers.reserveCapacity(query.values.count)
        var rowByteCount = (query.hasKey ? 8 : 0) + (query.hasVersion ? 4 : 0)
        for value in query.values {
            let kind = ColumnFiller.Kind(value)
            fillers.append(ColumnFiller(kind, property: value.property, column: column))
            column += kind.width
            rowByteCount += kind.fixedByteCount
        }
        self.rowByteCount = rowByteCount
    }

    /// All rows of `statement`, which is bound; but whenever there are `partByteCount` bytes of them, at first fewer, `part` takes those.
    ///
    /// - Throws: `StoreError.tooLarge` as soon as all that is not sent passes `budget`.
    consuming func batch(
        _ statement: SQLiteStatement, within budget: inout ByteBudget, partByteCount: Int = .max,
        _ part: Part = { _ in }
    ) throws(StoreError) -> RowBatch {
        defer { statement.reset() }
        var size = partByteCount == .max ? .max : min(partByteCount, CofferWire.Limits.firstPart)
        var end = budget.rest - size
        while try translating({ () throws(SQLiteError) in try statement.step() }) {
            if budget.rest < end {
                part(takeBatch(goesOn: true))
                budget.startAnew()
                size = min(partByteCount, 2 * size)
                end = budget.rest - size
            }
            try budget.take(rowByteCount)
            appendIdentity(statement)
            for index in fillers.indices { try fillers[index].append(row, statement, context, &budget) }
            row += 1
        }
        return takeBatch(goesOn: false)
    }

    /// The rows so far, which it then has no more; where it goes on, what comes next will probably take as much room.
    private mutating func takeBatch(goesOn: Bool) -> RowBatch {
        var columns: [Column] = []
        columns.reserveCapacity(fillers.count)
        for index in fillers.indices {
            columns.append(fillers[index].finish(rowCount: row, goesOn: goesOn))
        }
        let isUniform = entities.allSatisfy { $0 == UInt32(query.entity) }
        let batch = RowBatch(
            rowCount: row, entity: query.entity, entities: isUniform ? [] : entities,
            primaryKeys: primaryKeys, versions: versions, columns: columns)
        (entities, primaryKeys, versions) = ([], [], [])
        if goesOn {
            primaryKeys.reserveCapacity(row)
            versions.reserveCapacity(query.hasVersion ? row : 0)
        }
        row = 0
        return batch
    }

    private mutating func appendIdentity(_ statement: SQLiteStatement) {
        var column = 0
        if query.hasEntity {
            entities.append(context.entityIndex(statement.int64(0)) ?? UInt32(query.entity))
            column = 1
        }
        if query.hasKey { primaryKeys.append(statement.int64(column)) }
        if query.hasVersion { versions.append(UInt32(truncatingIfNeeded: statement.int64(column + 1))) }
    }
}
