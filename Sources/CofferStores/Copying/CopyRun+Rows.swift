internal import CofferModel
internal import CofferSQLite

extension CopyRun {
    func copy(_ table: CopyTable) throws(StoreError) {
        let columns = table.fields.map { ", " + $0.source }.joined()
        let targets = table.fields.map { ", " + $0.target }.joined()
        let marks = table.fields.indices.map { ", ?\($0 + 4)" }.joined()
        let (rows, insertion) = try translating { () throws(SQLiteError) in
            (
                try source.connection.prepare(
                    "SELECT Z_PK, Z_ENT, Z_OPT\(columns) FROM \(table.name) ORDER BY Z_PK"),
                try connection.prepare(
                    "INSERT INTO \(table.name) (Z_PK, Z_ENT, Z_OPT\(targets)) VALUES (?1, ?2, ?3\(marks))")
            )
        }
        var skipped = 0
        try inPieces(rows) { () throws(StoreError) in
            guard let entity = entity(ofRow: rows, in: table) else {
                skipped += 1
                return 0
            }
            return try copyRow(of: entity, in: table, rows, to: insertion)
        }
        if skipped > 0 {
            loss.leftOut.append(
                "\(skipped) rows of the table \(table.name) are left out: they are of no entity of the model")
        }
    }

    /// The entity of a row, if it has one that may have objects.
    private func entity(ofRow rows: SQLiteStatement, in table: CopyTable) -> Int? {
        let model = source.file.schema.model
        if !table.hasSeveralEntities { return table.root }
        guard let number = Int(exactly: rows.int64(1)),
            let entity = source.file.schema.entity(numbered: number),
            !model.entities[entity.index].isAbstract
        else { return nil }
        return entity.index
    }

    /// Copies the row that `rows` stands on; says how many bytes it has.
    private func copyRow(
        of entity: Int, in table: CopyTable, _ rows: SQLiteStatement, to insertion: SQLiteStatement
    ) throws(StoreError) -> Int {
        let model = source.file.schema.model
        let key = try shifted(rows.int64(0), in: table.root)
        var byteCount = 0
        do throws(SQLiteError) {
            try insertion.bind(key, at: 1)
            try insertion.bind(Int64(target.numbers[entity]), at: 2)
            byteCount += try bind(rows, 2, to: insertion, at: 3)
        } catch {
            throw StoreError(error)
        }
        for (index, field) in table.fields.enumerated() {
            let (column, parameter) = (index + 3, index + 4)
            switch field.kind {
            case .reference(let end) where rows.int64(column) > 0:
                let end = try shifted(rows.int64(column), in: end)
                try translating { () throws(SQLiteError) in try insertion.bind(end, at: parameter) }
            case .entityNumber where !rows.isNull(column):
                try translating { () throws(SQLiteError) in
                    let known = Int(exactly: rows.int64(column)).flatMap {
                        source.file.schema.numbers.index(of: $0)
                    }
                    if let known {
                        try insertion.bind(Int64(target.numbers[known]), at: parameter)
                    } else {
                        try insertion.bindNull(at: parameter)
                    }
                }
            case .external(let name) where !rows.isNull(column):
                let value = try values.copy(rows.blob(column)) { file in
                    missing("\(model.entities[entity].name)/p\(rows.int64(0)) \(name): the file '\(file)'")
                }
                byteCount += value?.count ?? 0
                try translating { () throws(SQLiteError) in
                    if let value {
                        try insertion.bind(value, at: parameter)
                    } else {
                        try insertion.bindNull(at: parameter)
                    }
                }
            default:
                do throws(SQLiteError) {
                    byteCount += try bind(rows, column, to: insertion, at: parameter)
                } catch {
                    throw StoreError(error)
                }
            }
        }
        try insert(insertion)
        objectCount += 1
        return byteCount
    }

    private func missing(_ place: String) {
        loss.missingCount += 1
        if loss.missingFiles.count < Limits.toldItems { loss.missingFiles.append(place) }
    }

    /// A key as the copy has it.
    func shifted(_ key: Int64, in entity: Int) throws(StoreError) -> Int64 {
        let description = source.file.schema.model.entities[entity]
        let (sum, isTooLarge) = key.addingReportingOverflow(shift.offset(of: description))
        guard key > 0, !isTooLarge else {
            throw .damaged(
                path: source.file.path, detail: "\(key) is the key of an object of '\(description.rootName)'")
        }
        return sum
    }

    /// Binds what stands in a column as it is; says how many bytes it has.
    func bind(
        _ rows: SQLiteStatement, _ column: Int, to statement: SQLiteStatement, at parameter: Int
    ) throws(SQLiteError) -> Int {
        switch rows.type(column) {
        case .null: try statement.bindNull(at: parameter)
        case .integer: try statement.bind(rows.int64(column), at: parameter)
        case .real: try statement.bind(rows.double(column), at: parameter)
        case .text:
            bytes.removeAll(keepingCapacity: true)
            rows.appendText(column, to: &bytes)
            try statement.bindText(bytes, range: bytes.indices, at: parameter)
            return bytes.count
        case .blob:
            bytes.removeAll(keepingCapacity: true)
            rows.appendBlob(column, to: &bytes)
            try statement.bindBlob(bytes, range: bytes.indices, at: parameter)
            return bytes.count
        }
        return 8
    }

    func insert(_ statement: SQLiteStatement) throws(StoreError) {
        let refusal = try translating { () throws(SQLiteError) in try statement.runUnlessForbidden() }
        if let refusal { throw .damaged(path: source.file.path, detail: refusal.message) }
    }
}
