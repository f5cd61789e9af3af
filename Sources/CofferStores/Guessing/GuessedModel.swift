internal import CofferModel
internal import CofferSQLite

/// A model as far as the tables of a store tell it, for a file that keeps none: enough to read it.
///
/// Entities and their inheritance are as `Z_PRIMARYKEY` says. Properties get the names of their columns in
/// lower case, and the types that columns are declared with; all of a tree stand with its root, since
/// columns do not say which entity declares them. A column of integers is a to-one relationship if its
/// entity's number stands beside it, or if it is named for an entity that has all objects that it names.
/// Tables with two keys are many-to-many relationships, named by these.
///
/// Source: the layout is the one of the design page on storage, parts 2.3 to 2.5, read backwards.
struct GuessedModel {
    private let tables: GuessedTables
    private let connection: SQLiteConnection
    private var definitions: [Int: EntityDefinition] = [:]
    /// The names of a tree's properties, by the tree's table.
    private var names: [String: Set<String>] = [:]

    /// The model of the file that `connection` is open on.
    ///
    /// - Throws: `StoreError.unknownModel` if the tables do not tell one, and what reading them throws.
    static func model(
        on connection: SQLiteConnection, path: String
    ) throws(StoreError) -> ManagedObjectModel {
        let definitions = try translating { () throws(SQLiteError) in
            var guess = GuessedModel(try GuessedTables(reading: connection), connection)
            try guess.run()
            return guess.definitions
        }
        guard !definitions.isEmpty else { throw .unknownModel(path: path) }
        do throws(ModelError) {
            return try ManagedObjectModel(entities: definitions.sorted { $0.key < $1.key }.map(\.value))
        } catch {
            throw .unknownModel(path: path)  // As of entities that inherit from each other.
        }
    }

    private init(_ tables: GuessedTables, _ connection: SQLiteConnection) {
        (self.tables, self.connection) = (tables, connection)
    }

    private mutating func run() throws(SQLiteError) {
        for (number, entity) in tables.entities where tables.table(of: number) != nil {
            definitions[number] = EntityDefinition(
                entity.name, superentity: tables.entities[entity.parent]?.name)
        }
        for number in definitions.keys.sorted() where tables.isRoot(number) {
            guard let table = tables.table(of: number) else { continue }
            try addProperties(of: table, to: number)
        }
        for join in tables.joins { add(join) }
    }
}

extension GuessedModel {
    private mutating func addProperties(of table: GuessedTables.Table, to root: Int) throws(SQLiteError) {
        var toOnes: [String: Int] = [:]
        for column in table.columns where column.type == "INTEGER" {
            guard let name = column.propertyName else { continue }
            toOnes[name] = try destination(of: column, in: table)
        }
        for column in table.columns {
            if let (owner, name) = column.ownerKey, let own = tables.entities[root] {
                let isOrdered = table.has("Z_FOK_\(owner)" + name.uppercased())
                add(
                    RelationshipDefinition(name, to: own.name, isToMany: true, isOrdered: isOrdered),
                    to: owner)
                continue
            }
            guard let name = column.propertyName else { continue }
            if let end = toOnes[name], let destination = tables.entities[end] {
                add(RelationshipDefinition(name, to: destination.name), to: root)
            } else if let attribute = try attribute(name, column, in: table), take(name, of: root) {
                definitions[root]?.attributes.append(attribute)
            }
        }
    }

    /// Takes a name in a tree; `false` if it is taken already, or there is no such entity.
    private mutating func take(_ name: String, of number: Int) -> Bool {
        guard definitions[number] != nil, let table = tables.table(of: number)?.name else { return false }
        return names[table, default: []].insert(name).inserted
    }

    private mutating func add(_ relationship: RelationshipDefinition, to number: Int) {
        if take(relationship.name, of: number) { definitions[number]?.relationships.append(relationship) }
    }

    private func attribute(
        _ name: String, _ column: GuessedTables.Column, in table: GuessedTables.Table
    ) throws(SQLiteError) -> AttributeDefinition? {
        let type: AttributeType
        switch column.type {
        case "INTEGER": type = .integer64
        case "FLOAT": type = .double
        case "TIMESTAMP": type = .date
        case "VARCHAR": type = .string
        case "DECIMAL": type = .decimal
        case "BLOB": type = .binary
        default: return nil  // None that Core Data declares.
        }
        var attribute = AttributeDefinition(name, type, isOptional: true)
        if type == .binary { attribute.allowsExternalStorage = try mayBeInFiles(column, in: table) }
        return attribute
    }

    /// Whether all values of a column have the mark of those that may be in files, and one is.
    private func mayBeInFiles(
        _ column: GuessedTables.Column, in table: GuessedTables.Table
    ) throws(SQLiteError) -> Bool {
        let name = column.name
        let statement = try connection.prepare(
            "SELECT min(substr(\(name), 1, 1) IN (x'01', x'02')), max(\(ExternalData.isFile(name))) "
                + "FROM \(table.name) WHERE length(\(name)) > 0")
        return try statement.step() && statement.int64(0) == 1 && statement.int64(1) == 1
    }

    /// The number of the entity that a column names objects of; `nil` if it is an attribute.
    private func destination(
        of column: GuessedTables.Column, in table: GuessedTables.Table
    ) throws(SQLiteError) -> Int? {
        // If objects of several entities may be named, the row says which entity each one is of.
        if let number = table.entityNumber(beside: column) {
            return definitions[number] != nil && tables.hasChildren(number) ? number : nil
        }
        let isOrdered = table.has("Z_FOK_" + column.name.dropFirst())
        guard isOrdered || table.indexed.contains(column.name) else { return nil }
        let leaves = definitions.keys.sorted().filter { !tables.hasChildren($0) }
        let name = column.name.dropFirst()
        if let named = leaves.first(where: { tables.entities[$0]?.name.uppercased() ?? "" == name }) {
            return try holds(column, of: table, named) != false ? named : nil
        }
        // A name that ends so may be of something else, unless there are objects to say so, and of no other.
        var fitting: [Int] = []
        for number in leaves where try holds(column, of: table, number) == true { fitting.append(number) }
        guard fitting.count == 1 else { return nil }
        let isNamed = name.hasSuffix((tables.entities[fitting[0]]?.name ?? "").uppercased())
        return isOrdered || isNamed ? fitting[0] : nil
    }

    /// Whether all objects that a column names are of an entity; `nil` if it names none.
    private func holds(
        _ column: GuessedTables.Column, of table: GuessedTables.Table, _ number: Int
    ) throws(SQLiteError) -> Bool? {
        guard let target = tables.table(of: number)?.name else { return false }
        let name = column.name
        let some = try connection.prepare("SELECT 1 FROM \(table.name) WHERE \(name) NOT NULL LIMIT 1")
        guard try some.step() else { return nil }
        let strange = try connection.prepare(
            "SELECT 1 FROM \(table.name) WHERE \(name) NOT NULL AND \(name) NOT IN "
                + "(SELECT Z_PK FROM \(target) WHERE Z_ENT = \(number)) LIMIT 1")
        return try !strange.step()
    }
}

extension GuessedModel {
    /// Adds both ends of a many-to-many relationship, or the one that is its own inverse.
    private mutating func add(_ join: GuessedTables.Join) {
        guard let first = tables.entities[join.first.entity], definitions[join.first.entity] != nil else {
            return
        }
        guard let other = join.second else {
            return add(
                RelationshipDefinition(
                    join.first.name, to: first.name, inverse: join.first.name, isToMany: true,
                    isOrdered: join.first.isOrdered), to: join.first.entity)
        }
        guard let second = tables.entities[other.entity], definitions[other.entity] != nil else { return }
        // Each column is called for the relationship that leads to the objects whose keys it has; both have
        // to be free, for neither is there without the other.
        guard take(join.first.name, of: other.entity) else { return }
        guard take(other.name, of: join.first.entity) else { return }
        definitions[other.entity]?.relationships.append(
            RelationshipDefinition(
                join.first.name, to: first.name, inverse: other.name, isToMany: true,
                isOrdered: join.first.isOrdered))
        definitions[join.first.entity]?.relationships.append(
            RelationshipDefinition(
                other.name, to: second.name, inverse: join.first.name, isToMany: true,
                isOrdered: other.isOrdered))
    }
}
