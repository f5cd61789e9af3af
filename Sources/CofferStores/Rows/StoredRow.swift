internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Rows of one leaf entity, read with all stored attributes and to-one relationships for an answer about
/// conflicts.
///
/// To-many relationships are left out: their objects are read when they are asked for.
struct StoredRow {
    private let plan: EntityPlan
    private let path: String
    private let statement: SQLiteStatement
    private var batch: RowBatch
    private var columns: [StoredColumn]
    /// Whether a value whose file is missing is an error, and not null.
    private let needsFiles: Bool

    init(_ plan: EntityPlan, on connection: SQLiteConnection) throws(SQLiteError) {
        let columns = plan.properties.compactMap(\.self).filter(\.isStoredColumn)
        let statement = try plan.statement(.row, on: connection) { Self.sql(plan, columns) }
        self.init(plan, reading: columns, by: statement, on: connection)
    }

    /// Rows with some attributes and to-one relationships only.
    ///
    /// If values are computed of them and written, the files of all are needed.
    init(
        _ plan: EntityPlan, properties: [Int], needsFiles: Bool = false, on connection: SQLiteConnection
    ) throws(SQLiteError) {
        let columns = properties.compactMap { plan.properties[$0] }.filter(\.isStoredColumn)
        let statement = try plan.partialRead(of: properties, on: connection) { Self.sql(plan, columns) }
        self.init(plan, reading: columns, by: statement, needsFiles: needsFiles, on: connection)
    }

    private init(
        _ plan: EntityPlan, reading properties: [EntityPlan.Property], by statement: SQLiteStatement,
        needsFiles: Bool = false, on connection: SQLiteConnection
    ) {
        self.plan = plan
        self.needsFiles = needsFiles
        path = connection.path
        self.statement = statement
        batch = RowBatch(entity: plan.index)
        columns = properties.map(StoredColumn.init)
    }

    private static func sql(_ plan: EntityPlan, _ properties: [EntityPlan.Property]) -> String {
        "SELECT Z_OPT\(selection(plan, properties)) FROM \(plan.entity.table) "
            + "WHERE Z_PK = ?1 AND Z_ENT = \(plan.entity.number)"
    }

    /// What `StoredColumn` reads of each property, as it stands behind other columns in SQL.
    static func selection(_ plan: EntityPlan, _ properties: [EntityPlan.Property]) -> String {
        let table = plan.entity.table
        let columns = properties.map { property in
            switch property.stored {
            case .attribute(let column, .decimal):
                ", \(column), (SELECT digits FROM COFFER_DECIMAL WHERE relation = '\(table)' "
                    + "AND key = Z_PK AND property = '\(column)')"
            case .attribute(let column, _): ", " + column
            case .toOne(let column, let entityColumn, _): ", \(column), " + (entityColumn ?? "NULL")
            case .toMany, .manyToMany, .unsupported: ""
            }
        }
        return columns.joined()
    }

    /// Reads one more row; `false` if there is none of the key.
    ///
    /// - Throws: `SQLiteError.corrupt` also if its version is not valid.
    mutating func append(_ key: Int64) throws(SQLiteError) -> Bool {
        try statement.bind(key, at: 1)
        guard try statement.step() else { return false }
        defer { statement.reset() }
        guard let version = UInt32(exactly: statement.int64(0)) else {
            throw .unsound(version: statement.int64(0), of: key, plan.name, path: path)
        }
        batch.primaryKeys.append(key)
        batch.versions.append(version)
        var column = 1
        for index in columns.indices {
            let place = columns[index].column.property
            column += try columns[index].append(
                from: statement, column, row: batch.rowCount, external: plan.external
            ) { name throws(SQLiteError) in
                let value = MissingValue(
                    entity: plan.name, primaryKey: key,
                    attribute: plan.description.properties[place].name, store: path, file: name)
                if needsFiles { throw .corrupt(path: path, message: value.reason) }
                plan.external?.tell(value)
            }
        }
        batch.rowCount += 1
        return true
    }

    /// What was read.
    func rows() -> RowBatch {
        var batch = batch
        batch.columns = columns.map { $0.whole(rowCount: batch.rowCount) }
        return batch
    }
}

extension EntityPlan.Property {
    /// Whether a row has a column of it.
    var isStoredColumn: Bool {
        switch stored {
        case .attribute, .toOne: true
        case .toMany, .manyToMany, .unsupported: false
        }
    }
}

/// Builds one column of a batch from rows of a statement.
struct StoredColumn {
    private(set) var column: Column
    private let isMarked: Bool
    private let isText: Bool
    /// The entities whose objects a row may name, and whether it says of which of them each one is.
    private let destinations: Range<Int>
    private let hasEntity: Bool
    private let numbers: EntityNumbers

    init(_ property: EntityPlan.Property) {
        let values: ColumnValues
        switch property.attribute?.type {
        case .integer16, .integer32, .integer64: values = .integers([])
        case .boolean: values = .bits([])
        case .double, .date: values = .doubles([])
        case .float: values = .floats([])
        case .string, .uri, .binary, .transformable: values = .bytes(ByteRuns())
        case .uuid: values = .uuids([])
        case .decimal: values = .decimals([])
        case nil: values = .references(keys: [], entities: [])
        }
        column = Column(property: property.index, values: values)
        isMarked = property.attribute?.allowsExternalStorage ?? false
        isText = property.attribute?.type == .string || property.attribute?.type == .uri
        destinations = property.destinations
        numbers = property.numbers
        hasEntity = if case .toOne(_, _?, _) = property.stored { true } else { false }
    }

    /// Appends the value at `place` of the row that `statement` stands on; returns how many columns it took.
    ///
    /// - Throws: `SQLiteError.corrupt` if a value is in a file that cannot be read. Also what `onMissing`
    ///   throws, which is told of a file that is not there; if it does not throw, the value is null.
    mutating func append(
        from statement: SQLiteStatement, _ place: Int, row: Int, external: ExternalWriter?,
        onMissing: (String) throws(SQLiteError) -> Void = { _ in }
    ) throws(SQLiteError) -> Int {
        let isNull = statement.isNull(place)
        if isNull { setNull(row) }
        switch column.values {
        case .integers(var values):
            column.values = .integers([])
            values.append(statement.int64(place))
            column.values = .integers(values)
        case .bits(var bits):
            column.values = .bits([])
            if row % 8 == 0 { bits.append(0) }
            if statement.int64(place) != 0 { bits[row / 8] |= 1 << UInt8(row % 8) }
            column.values = .bits(bits)
        case .doubles(var values):
            column.values = .doubles([])
            values.append(statement.double(place))
            column.values = .doubles(values)
        case .floats(var values):
            column.values = .floats([])
            values.append(Float(statement.double(place)))
            column.values = .floats(values)
        case .bytes(var runs):
            column.values = .bytes(ByteRuns())
            let isThere = try appendBytes(
                from: statement, place, to: &runs, external: external, onMissing: onMissing)
            if !isThere { setNull(row) }
            runs.ends.append(UInt32(clamping: runs.data.count))
            column.values = .bytes(runs)
        case .uuids(var bytes):
            column.values = .uuids([])
            let value = statement.blob(place)
            bytes += value.count == 16 ? value : [UInt8](repeating: 0, count: 16)
            column.values = .uuids(bytes)
        case .decimals(var bytes):
            column.values = .decimals([])
            let digits = statement.isNull(place + 1) ? nil : statement.text(place + 1)
            let value = DecimalParts(statement, place, digits: digits)
            (value ?? DecimalParts(text: "0"))?.append(to: &bytes)
            column.values = .decimals(bytes)
            return 2
        case .references(var keys, var entities):
            column.values = .integers([])
            let entity = entity(statement.int64(place + 1))
            if entity == nil { setNull(row) }
            keys.append(entity == nil ? 0 : statement.int64(place))
            entities.append(isNull ? 0 : entity ?? 0)
            column.values = .references(keys: keys, entities: entities)
            return 2
        }
        return 1
    }

    /// The entity of the object that a row names; `nil` if the number in the row is not that of an entity
    /// that may be there.
    private func entity(_ number: Int64) -> UInt32? {
        guard hasEntity else { return UInt32(destinations.lowerBound) }
        guard let entity = numbers.index(of: Int(number)), destinations.contains(entity) else { return nil }
        return UInt32(entity)
    }

    /// Appends text or data; `false` if it is in a file that is missing.
    private func appendBytes(
        from statement: SQLiteStatement, _ place: Int, to runs: inout ByteRuns,
        external: ExternalWriter?, onMissing: (String) throws(SQLiteError) -> Void
    ) throws(SQLiteError) -> Bool {
        if isText {
            statement.appendText(place, to: &runs.data)
        } else if isMarked {
            let value = try ExternalData.value(statement.blob(place)) { name throws(SQLiteError) in
                guard let external else { return [] }
                let bytes: [UInt8]?
                do throws(StoreError) {
                    bytes = try external.bytes(named: name)
                } catch {
                    throw .corrupt(path: name, message: "\(error)")
                }
                if bytes == nil { try onMissing(name) }
                return bytes
            }
            guard let value else { return false }
            runs.data += value
        } else {
            statement.appendBlob(place, to: &runs.data)
        }
        return true
    }

    private mutating func setNull(_ row: Int) { column.setNull(row) }

    /// The column of the `rowCount` rows that were appended, as it may travel.
    func whole(rowCount: Int) -> Column {
        var column = column
        if !column.nulls.isEmpty {
            let missing = (rowCount + 7) / 8 - column.nulls.count
            column.nulls.append(contentsOf: repeatElement(0, count: missing))
        }
        return column
    }
}

extension Column {
    /// Marks row `row` as null, whatever its value is; bits of rows behind it may be left out.
    mutating func setNull(_ row: Int) {
        while nulls.count <= row / 8 { nulls.append(0) }
        nulls[row / 8] |= 1 << UInt8(row % 8)
    }
}
