internal import CofferModel
internal import CofferSQLite

/// The functions of Core Data's that its triggers call.
enum DerivedFunction: String, CaseIterable {
    case canonical = "NSCoreDataCanonical"
    case uppercase = "NSCoreDataToUpper"
    case lowercase = "NSCoreDataToLower"
    case now = "NSCoreDataNow"
    /// Reports a row that was changed after its own insertion: table, entity number, key, attribute, value.
    case reportInsert = "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"
    /// Reports a row that was changed after another change.
    case reportUpdate = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
    /// Reports a change in older stores, whose triggers name the column.
    case reportColumn = "NSCoreDataTriggerUpdateAffectedObjectValue"
}

/// What triggers of the file changed during a save: rows that no statement of ours names.
///
/// Confined with the connection that its functions are registered on. Reports of a file's triggers are not
/// trusted: only properties of the model that have a column are recorded, and only for a bounded number of
/// objects.
final class TriggerLog {
    /// Properties of objects that were changed; the code that reports some of them removes those.
    var touched: [LeafKey: Set<Int>] = [:]
    /// Whether more objects were reported than can be recorded: then it is not known which.
    private(set) var isOverfull = false
    /// The time of the save, in seconds since 2001-01-01 00:00 UTC.
    private var timestamp: Double?
    let limit: Int
    private let schema: SQLSchema
    private let clock: @Sendable () -> Double
    /// Names that were found: no more than the model and its columns have.
    private var places: [Place: Int] = [:]

    private struct Place: Hashable {
        var entity: Int
        var name: String
        var isColumn: Bool
    }

    /// A log of up to `limit` objects of a save.
    init(
        schema: SQLSchema, clock: @escaping @Sendable () -> Double, limit: Int = Limits.derivedObjects
    ) {
        self.schema = schema
        self.limit = limit
        self.clock = clock
    }

    /// Records what is reported from now on, since a save begins.
    func begin(at timestamp: Double) {
        end()
        self.timestamp = timestamp
    }

    /// Drops what was recorded, and the time.
    func end() {
        touched = [:]
        isOverfull = false
        timestamp = nil
    }

    /// Registers Core Data's functions on the connection that writes, so that its triggers run.
    func register(on connection: SQLiteConnection) throws(SQLiteError) {
        for function in [DerivedFunction.reportInsert, .reportUpdate, .reportColumn] {
            let isColumn = function == .reportColumn
            try connection.registerFunction(
                name: function.rawValue, arguments: 5, isDeterministic: false, isInnocuous: true
            ) { [weak self] arguments in
                guard let self else { return .null }
                let place = self.record(
                    key: arguments.int64(2), ofEntity: arguments.int64(1), property: arguments.text(3),
                    isColumn: isColumn)
                // SQLite continues with a real number, which would never be exact again; its own sum()
                // reports an overflow, too.
                if let place, arguments.type(4) == .real, self.isInteger(place) {
                    return .failure(StoreError.integerOverflow)
                }
                return .null
            }
        }
        let clock = clock
        try connection.registerFunction(
            name: DerivedFunction.now.rawValue, arguments: 0, isDeterministic: false, isInnocuous: true
        ) { [weak self] _ in .real(self?.timestamp ?? clock()) }
        try Self.registerText(on: connection)
    }

    /// Registers the text functions, which need no save.
    static func registerText(on connection: SQLiteConnection) throws(SQLiteError) {
        let functions: [(DerivedFunction, @Sendable (String) -> String)] = [
            (.canonical, { TextFolding.fold($0, options: [.caseInsensitive, .diacriticInsensitive]) }),
            (.uppercase, { $0.uppercased() }), (.lowercase, { $0.lowercased() }),
        ]
        for (function, body) in functions {
            try connection.registerFunction(
                name: function.rawValue, arguments: 1, isDeterministic: true, isInnocuous: true
            ) { $0.isNull(0) ? .null : .text(body($0.text(0))) }
        }
    }

    /// Records an object and a property; returns the entity and the property if the model has them.
    private func record(key: Int64, ofEntity number: Int64, property name: String, isColumn: Bool) -> (
        Int, Int
    )? {
        guard let number = Int(exactly: number), let entity = schema.entity(numbered: number) else {
            return nil
        }
        let place = Place(entity: entity.index, name: name, isColumn: isColumn)
        guard let known = places[place] ?? find(name, in: entity, isColumn: isColumn) else { return nil }
        places[place] = known
        let object = LeafKey(entity: entity.index, key: key)
        if touched.count >= limit, touched[object] == nil {
            isOverfull = true
        } else {
            touched[object, default: []].insert(known)
        }
        return (entity.index, known)
    }

    private func isInteger(_ place: (entity: Int, property: Int)) -> Bool {
        schema.model.entities[place.entity].properties[place.property].attribute?.type.integerRange != nil
    }

    private func find(_ name: String, in entity: SQLEntity, isColumn: Bool) -> Int? {
        if isColumn {
            return entity.columns.firstIndex { stored in
                if case .attribute(let column, _) = stored { column == name } else { false }
            }
        }
        guard let index = schema.model.entities[entity.index].propertyIndex(named: name),
            case .attribute = entity.columns[index]
        else { return nil }
        return index
    }
}
