import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import FoundationEssentials
import TestSupport

/// An object of a test's graph: what is written into the file, and what predicates are evaluated on in
/// memory.
final class QueryObject: PredicateSubject {
    let entity: EntityDescription
    let key: Int64
    var values: [String: AttributeValue] = [:]
    var one: [String: QueryObject] = [:]
    var many: [String: [QueryObject]] = [:]

    init(_ entity: EntityDescription, _ key: Int64) {
        self.entity = entity
        self.key = key
    }

    var id: ManagedObjectID { ManagedObjectID(entity: entity, storeUUID: nil, key: .permanent(key)) }

    var identity: AttributeValue { .object(id) }

    func value(forKey key: String) throws(QueryError) -> SubjectValue {
        switch entity.property(named: key) {
        case .attribute: .value(values[key] ?? .null)
        case .relationship(let relationship):
            relationship.isToMany ? .objects(many[key] ?? []) : .object(one[key])
        case nil: throw .unknownKey(key, keyPath: key, entity: entity.name)
        }
    }
}

/// A store in a file of its own, and its graph in memory.
final class QueryFixture {
    let schema: SQLSchema
    let connection: SQLiteConnection
    let reader: StoreReader
    private(set) var objects: [QueryObject] = []

    init(
        model: ManagedObjectModel? = nil, options: StoreReader.Options = StoreReader.Options()
    ) throws {
        schema = try SQLSchema(model: model ?? Self.staff(), configuration: "Default")
        connection = try SQLiteConnection(path: ":memory:")
        for statement in schema.creationStatements { try connection.execute(statement) }
        try connection.execute(
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (41, 16002, 0), (42, 16002, 1)")
        reader = try StoreReader(connection: connection, schema: schema, options: options)
    }

    /// People, their companies and tags.
    static func staff() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Company",
                attributes: [AttributeDefinition("name", .string), AttributeDefinition("founded", .date)],
                relationships: [
                    RelationshipDefinition("staff", to: "Person", inverse: "employer", isToMany: true)
                ]),
            EntityDefinition(
                "Person",
                attributes: [
                    AttributeDefinition("name", .string),
                    AttributeDefinition("email", .string, isIndexed: true),
                    AttributeDefinition("age", .integer32), AttributeDefinition("height", .double),
                    AttributeDefinition("score", .float), AttributeDefinition("balance", .decimal),
                    AttributeDefinition("isActive", .boolean), AttributeDefinition("born", .date),
                    AttributeDefinition("token", .uuid), AttributeDefinition("photo", .binary),
                    AttributeDefinition("homepage", .uri),
                    AttributeDefinition("mood", .string, isTransient: true),
                ],
                relationships: [
                    RelationshipDefinition("employer", to: "Company", inverse: "staff"),
                    RelationshipDefinition("boss", to: "Person", inverse: "reports"),
                    RelationshipDefinition("reports", to: "Person", inverse: "boss", isToMany: true),
                    RelationshipDefinition("tags", to: "Tag", inverse: "people", isToMany: true),
                    RelationshipDefinition("hobbies", to: "Tag", inverse: "fans", isToMany: true),
                ],
                indexes: [FetchIndexDefinition("byName", elements: [.init("name")])]),
            EntityDefinition(
                "Manager", superentity: "Person", attributes: [AttributeDefinition("level", .integer16)]),
            EntityDefinition("Director", superentity: "Manager"),
            EntityDefinition("Visitor", superentity: "Person"),
            EntityDefinition(
                "Tag", attributes: [AttributeDefinition("name", .string)],
                relationships: [
                    RelationshipDefinition(
                        "people", to: "Person", inverse: "tags", isToMany: true, isOrdered: true),
                    RelationshipDefinition("fans", to: "Person", inverse: "hobbies", isToMany: true),
                ]),
        ])
    }
}

extension QueryFixture {
    /// Adds an object to the graph; `write` brings it into the file.
    @discardableResult
    func add(_ entity: String, key: Int64, _ values: [String: AttributeValue] = [:]) throws -> QueryObject {
        guard let description = schema.model.entity(named: entity) else {
            throw StoreError.unknownEntity(entity)
        }
        let object = QueryObject(description, key)
        object.values = values
        objects.append(object)
        return object
    }

    /// Joins two objects by a relationship and its inverse.
    func join(_ source: QueryObject, _ name: String, _ target: QueryObject) {
        guard let relationship = source.entity.property(named: name)?.relationship,
            let inverse = schema.model.inverse(of: relationship)
        else { return }
        func set(_ object: QueryObject, _ property: RelationshipDescription, _ other: QueryObject) {
            if property.isToMany {
                object.many[property.name, default: []].append(other)
            } else {
                object.one[property.name] = other
            }
        }
        set(source, relationship, target)
        set(target, inverse, source)
    }

    /// Writes the graph into the tables.
    func write() throws {
        try connection.begin()
        for object in objects { try write(object) }
        try connection.commit()
    }

    private func write(_ object: QueryObject) throws {
        let entity = try schema.entity(at: object.entity.index)
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var values: [AttributeValue] = [.integer(object.key), .integer(Int64(entity.number)), .integer(1)]
        for (property, column) in zip(object.entity.properties, entity.columns) {
            switch column {
            case .attribute(let column, _):
                columns.append(column)
                values.append(object.values[property.name] ?? .null)
            case .toOne(let column, let entityColumn, _):
                guard let other = object.one[property.name] else { continue }
                columns.append(column)
                values.append(.integer(other.key))
                if let entityColumn {
                    columns.append(entityColumn)
                    values.append(.integer(Int64(other.entity.index + 1)))
                }
            case .manyToMany(let table, let ownColumn, let otherColumn, let orderColumn, _)
            where property.name == "tags" || property.name == "hobbies":
                for other in object.many[property.name] ?? [] {
                    _ = orderColumn
                    try insert(
                        table, [ownColumn, otherColumn], [.integer(object.key), .integer(other.key)])
                }
            default: break
            }
        }
        try insert(entity.table, columns, values)
    }

    private func insert(_ table: String, _ columns: [String], _ values: [AttributeValue]) throws {
        let marks = values.map { _ in "?" }.joined(separator: ", ")
        let names = columns.joined(separator: ", ")
        let statement = try connection.cached("INSERT INTO \(table) (\(names)) VALUES (\(marks))")
        for (index, value) in values.enumerated() { try bind(value, index + 1, statement) }
        try statement.run()
    }

    private func bind(_ value: AttributeValue, _ index: Int, _ statement: SQLiteStatement) throws {
        switch value {
        case .null, .object: try statement.bindNull(at: index)
        case .integer(let value): try statement.bind(value, at: index)
        case .boolean(let value): try statement.bind(value ? 1 as Int64 : 0, at: index)
        case .double(let value): try statement.bind(value, at: index)
        case .float(let value): try statement.bind(Double(value), at: index)
        case .decimal: try statement.bind(value.doubleValue ?? 0, at: index)
        case .string(let value), .uri(let value): try statement.bind(value, at: index)
        case .date(let value): try statement.bind(value.timeIntervalSinceReferenceDate, at: index)
        case .binary(let value), .transformable(let value): try statement.bind(value, at: index)
        case .uuid(let value):
            try statement.bind(unsafe withUnsafeBytes(of: value.uuid) { unsafe Array($0) }, at: index)
        }
    }
}

extension QueryFixture {
    /// The reply to a fetch.
    func fetch(_ fetch: FetchDescription) throws -> FetchReplyMessage {
        try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch))
    }

    /// The keys that a predicate finds, sorted.
    func keys(_ entity: String, _ predicate: QueryPredicate) throws -> [Int64] {
        var fetch = FetchDescription(entityName: entity, predicate: predicate)
        fetch.resultType = .objectIDs
        return try (self.fetch(fetch).rows?.primaryKeys ?? []).sorted()
    }

    /// The keys of objects that a predicate holds for in memory, sorted.
    func evaluated(_ entity: String, _ predicate: QueryPredicate) throws -> [Int64] {
        guard let description = schema.model.entity(named: entity) else {
            throw StoreError.unknownEntity(entity)
        }
        let checked = try predicate.check(for: description, in: schema.model)
        var keys: [Int64] = []
        for object in objects where object.entity.isKind(of: description) {
            if try checked.evaluate(on: object) { keys.append(object.key) }
        }
        return keys.sorted()
    }
}
