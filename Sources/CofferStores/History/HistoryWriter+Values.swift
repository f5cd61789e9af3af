internal import CofferSQLite

extension HistoryWriter.Value {
    /// The value of a column as it is stored.
    init(_ statement: SQLiteStatement, _ column: Int) {
        switch statement.type(column) {
        case .integer: self = .integer(statement.int64(column))
        case .real: self = .real(statement.double(column))
        case .text:
            var bytes: [UInt8] = []
            statement.appendText(column, to: &bytes)
            self = .text(bytes)
        case .blob: self = .blob(statement.blob(column))
        case .null: self = .null
        }
    }

    /// Whether the value is the name of an external file, for an attribute that allows files.
    var isInFile: Bool {
        if case .blob(let bytes) = self { ExternalData.isFile(bytes) } else { false }
    }

    func bind(to statement: SQLiteStatement, at place: Int) throws(SQLiteError) {
        switch self {
        case .null: try statement.bindNull(at: place)
        case .integer(let value): try statement.bind(value, at: place)
        case .real(let value): try statement.bind(value, at: place)
        case .text(let bytes): try statement.bindText(bytes, range: 0..<bytes.count, at: place)
        case .blob(let bytes): try statement.bind(bytes, at: place)
        }
    }
}
