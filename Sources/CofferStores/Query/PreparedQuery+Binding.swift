internal import CofferModel
internal import CofferSQLite
internal import FoundationEssentials

extension StoreReader {
    /// Binds the values of a description; the error for a value that does not fit names its key path, as when
    /// the query is compiled.
    func bind(
        _ constants: [QueryConstant], _ fetch: FetchDescription, to prepared: PreparedQuery
    ) throws(StoreError) {
        do throws(StoreError) {
            try prepared.bind(constants, fetch)
        } catch {
            guard case .predicate = error, let predicate = fetch.predicate,
                let entity = schema.model.entity(named: fetch.entityName)
            else { throw error }
            try explaining { () throws(QueryError) in
                _ = try predicate.check(for: entity, in: schema.model)
            }
            throw error
        }
    }
}

extension PreparedQuery {
    /// Binds the values of a description of the query's shape.
    func bind(
        _ constants: [QueryConstant], _ fetch: FetchDescription
    ) throws(StoreError) {
        var number = 0
        for parameter in query.parameters {
            number += 1
            switch parameter.source {
            case .constant(let index):
                guard case .value(let value) = constants[index] else { throw Self.mismatch }
                try bind(value, parameter.form, at: number)
            case .element(let list, let index):
                guard case .list(let values) = constants[list], !values.isEmpty else { throw Self.mismatch }
                try bind(values[min(index, values.count - 1)], parameter.form, at: number)
            case .json(let list):
                guard case .list(let values) = constants[list] else { throw Self.mismatch }
                let all: [AttributeValue]
                switch parameter.form {
                case .date, .number(.boolean):
                    all = try values.map { value throws(StoreError) in try converted(value, parameter.form) }
                default: all = values
                }
                let text = JSONList.text(all, form: parameter.form)
                try translating { () throws(SQLiteError) in try statement.bind(text, at: number) }
            case .now: try bind(.date(Date()), .stored, at: number)
            case .limit: try bind(.integer(Int64(fetch.limit)), .stored, at: number)
            case .locale: try bind(.string(fetch.locale), .stored, at: number)
            case .offset: try bind(.integer(Int64(fetch.offset)), .stored, at: number)
            }
        }
    }

    private static var mismatch: StoreError { .other("a query was given values of another shape") }

    private func bind(
        _ value: AttributeValue, _ form: QueryParameter.Form, at number: Int
    ) throws(StoreError) {
        let value = try converted(value, form)
        try translating { () throws(SQLiteError) in
            switch (value, form) {
            case (.string(let text), _), (.uri(let text), _): try bind(text, form, at: number)
            case (_, .float):
                guard let float = value.doubleValue.map({ Double(Float($0)) }) else {
                    return try bind(value, at: number)
                }
                try statement.bind(float, at: number)
            default: try bind(value, at: number)
            }
        }
    }

    /// The value as the type that the predicate demands.
    private func converted(
        _ value: AttributeValue, _ form: QueryParameter.Form
    ) throws(StoreError) -> AttributeValue {
        switch form {
        case .cast(let type): return type.cast(value) ?? .null
        case _ where value.isNull: return .null
        case .number(let type):
            // Values that are not numbers are refused when the query is compiled; only numbers without a
            // truth value get here.
            if let number = value.coerced(to: type) { return number }
            guard type != .boolean else {
                throw .predicate("A truth value is compared with a number other than 0 and 1.")
            }
            return value
        case .uuid:
            guard let uuid = QueryCast.uuid.cast(value) else {
                throw .predicate("A UUID is compared with a text that is not a UUID.")
            }
            return uuid
        case .date:
            if case .date = value { return value }
            guard let date = value.coerced(to: .date) else {
                throw .predicate("A date is compared with a text that is not a date.")
            }
            return date
        case .stored, .float, .folded, .prefixEnd, .phrase, .isNoPhrase: return value
        }
    }

    private func bind(
        _ text: String, _ form: QueryParameter.Form, at number: Int
    ) throws(SQLiteError) {
        switch form {
        case .stored, .float: try statement.bind(text, at: number)
        case .folded(let options): try statement.bind(TextFolding.fold(text, options: options), at: number)
        case .uuid, .date, .cast, .number: try statement.bind(text, at: number)
        case .phrase(let column):
            try statement.bind(TextIndex.query(for: text, in: column) ?? "\"\"", at: number)
        case .isNoPhrase:
            try statement.bind(TextIndex.query(for: text, in: "") == nil ? 1 as Int64 : 0, at: number)
        case .prefixEnd:
            guard let end = TextRange.end(prefix: text) else {
                return try statement.bind([UInt8](), at: number)
            }
            try statement.bind(end, at: number)
        }
    }

    /// Binds a value as it is stored.
    private func bind(_ value: AttributeValue, at number: Int) throws(SQLiteError) {
        switch value {
        case .null: try statement.bindNull(at: number)
        case .integer(let value): try statement.bind(value, at: number)
        case .boolean(let value): try statement.bind(value ? 1 as Int64 : 0, at: number)
        case .double(let value): try statement.bind(value, at: number)
        case .float(let value): try statement.bind(Double(value), at: number)
        case .decimal: try statement.bind(value.doubleValue ?? .nan, at: number)
        case .string(let text), .uri(let text): try statement.bind(text, at: number)
        case .date(let value): try statement.bind(value.timeIntervalSinceReferenceDate, at: number)
        case .binary(let bytes), .transformable(let bytes): try statement.bind(bytes, at: number)
        case .uuid(let value):
            let bytes = value.uuid
            try statement.bind(
                [
                    bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, bytes.8, bytes.9,
                    bytes.10,
                    bytes.11, bytes.12, bytes.13, bytes.14, bytes.15,
                ], at: number)
        case .object(let id):
            // An object that is not saved is not in the store: it gets a key that no row has.
            try statement.bind(id.primaryKey ?? .min, at: number)
        }
    }
}
