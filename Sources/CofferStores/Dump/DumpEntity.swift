internal import CofferModel
internal import CofferSQLite

/// What a dump reads of the objects that are of one entity and of none that inherits from it.
struct DumpEntity {
    let name: String
    let fields: [DumpField]
    /// What its fields call an object's id; properties keep their names.
    let idName: String
    /// Reads the key of each object from the one that is bound on, and what its fields ask for.
    let sql: String
    /// Reads the same of the objects of all entities of the table, and last the number of the entity.
    let sqlOfAll: String
    /// The table, and the number of the entity there.
    let table: (name: String, number: Int)
    /// Counts its objects.
    let countSQL: String
    /// What of it is left out, each a sentence.
    let omissions: [String]
    /// How many columns `sql` reads.
    let columnCount: Int
    /// Whether the table has objects of other entities, too.
    let hasSeveral: Bool

    init(_ entity: SQLEntity, of schema: SQLSchema, hasDigits: Bool) throws(StoreError) {
        let description = schema.model.entities[entity.index]
        var selection = ["t.Z_PK"]
        var fields: [DumpField] = []
        var omissions: [String] = []
        for (property, stored) in zip(description.properties, entity.columns) {
            guard let stored else { continue }
            if case .unsupported(let reason) = stored {
                omissions.append("'\(description.name).\(property.name)' is left out: \(reason)")
                continue
            }
            let kind = try DumpField.Kind(
                stored, property, of: schema, table: entity.table, hasDigits: hasDigits, adding: &selection)
            fields.append(DumpField(name: property.name, kind: kind))
        }
        name = description.name
        self.fields = fields
        self.omissions = omissions
        idName = fields.contains { $0.name.lowercased() == "id" } ? "objectID" : "id"
        // '+' keeps SQLite from an index that would not give the objects in the order of their keys.
        let own = entity.tableHasSeveralEntities ? "+t.Z_ENT = \(entity.number)" : "1"
        let columns = selection.joined(separator: ", ")
        let rows = "FROM \(entity.table) t WHERE t.Z_PK >= ?1"
        sql = "SELECT \(columns) \(rows) AND \(own) ORDER BY t.Z_PK"
        sqlOfAll = "SELECT \(columns), t.Z_ENT \(rows) ORDER BY t.Z_PK"
        countSQL = "SELECT count(*) FROM \(entity.table) t WHERE \(own)"
        table = (entity.table, entity.number)
        columnCount = selection.count
        hasSeveral = entity.tableHasSeveralEntities
    }
}

/// One field of a dump.
struct DumpField {
    /// How a value is read; columns are those of `DumpEntity.sql`.
    indirect enum Kind {
        case integer(Int)
        case boolean(Int)
        case double(Int)
        case float(Int)
        case date(Int)
        case text(Int)
        case uuid(Int)
        case decimal(Int, digits: Int?)
        case binary(Int, mayBeFile: Bool)
        /// A key of an object of one entity.
        case object(Int, entity: String)
        /// A key, and in the next column the number of its entity.
        case objectOfMany(Int)
        /// What a statement finds for the object's key: other keys, and the numbers of their entities.
        case objects(sql: String)
    }

    let name: String
    let kind: Kind
    /// Its name as JSON wants it before a value.
    let jsonName: [UInt8]

    init(name: String, kind: Kind) {
        (self.name, self.kind) = (name, kind)
        var quoted: [UInt8] = []
        DumpText.appendJSON(Array(name.utf8), to: &quoted)
        jsonName = quoted + [UInt8(ascii: ":")]
    }

    /// Its type as SQL calls it.
    var sqlType: String {
        switch kind {
        case .integer, .boolean: "INTEGER"
        case .double, .float: "REAL"
        case .binary: "BLOB"
        // SQLite would make a double of a decimal, and lose digits.
        case .decimal, .date, .text, .uuid, .object, .objectOfMany, .objects: "TEXT"
        }
    }

    /// Whether it is a relationship.
    var isRelationship: Bool {
        switch kind {
        case .object, .objectOfMany, .objects: true
        default: false
        }
    }
}

extension DumpField.Kind {
    /// How `stored` is read; `selection` gets the columns for it.
    fileprivate init(
        _ stored: SQLProperty, _ property: PropertyDescription, of schema: SQLSchema, table: String,
        hasDigits: Bool, adding selection: inout [String]
    ) throws(StoreError) {
        let place = selection.count
        switch stored {
        case .attribute(let column, let type):
            selection.append("t.\(column)")
            switch type {
            case .integer16, .integer32, .integer64: self = .integer(place)
            case .boolean: self = .boolean(place)
            case .double: self = .double(place)
            case .float: self = .float(place)
            case .date: self = .date(place)
            case .string, .uri: self = .text(place)
            case .uuid: self = .uuid(place)
            case .decimal:
                if hasDigits { selection.append(Self.digits(in: column, of: table)) }
                self = .decimal(place, digits: hasDigits ? place + 1 : nil)
            case .binary, .transformable:
                self = .binary(place, mayBeFile: property.attribute?.allowsExternalStorage ?? false)
            }
        case .toOne(let column, let entityColumn, let destination):
            selection.append("t.\(column)")
            if let entityColumn { selection.append("t.\(entityColumn)") }
            self =
                entityColumn == nil
                ? .object(place, entity: schema.model.entities[destination].name) : .objectOfMany(place)
        case .toMany(let other, let foreignKey, _, let orderColumn, _):
            let order = orderColumn.map { "\($0), " } ?? ""
            self = .objects(
                sql: "SELECT Z_PK, Z_ENT FROM \(other) WHERE \(foreignKey) = ?1 ORDER BY \(order)Z_PK")
        case .manyToMany(let join, let own, let other, let orderColumn, let destination):
            let order = orderColumn.map { "j.\($0), " } ?? ""
            let target = try schema.entity(at: destination).table
            self = .objects(
                sql: "SELECT o.Z_PK, o.Z_ENT FROM \(join) j JOIN \(target) o ON o.Z_PK = j.\(other) "
                    + "WHERE j.\(own) = ?1 ORDER BY \(order)o.Z_PK")
        case .unsupported(let reason):
            throw .unfitModel(detail: reason)
        }
    }

    /// SQL for the digits of a decimal that its number cannot say.
    private static func digits(in column: String, of table: String) -> String {
        "(SELECT digits FROM COFFER_DECIMAL WHERE relation = \(SQLLiteral.string(table)) "
            + "AND key = t.Z_PK AND property = \(SQLLiteral.string(column)))"
    }
}
