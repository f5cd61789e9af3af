internal import CofferModel
internal import CofferSQLite

/// What a store's tables are called and have, as far as a model can be guessed from it.
struct GuessedTables {
    struct Entity {
        let name: String
        let parent: Int
    }

    struct Column {
        let name: String
        /// As it is declared.
        let type: String
    }

    struct Table {
        let name: String
        let columns: [Column]
        /// The columns with an index of Core Data's for relationships.
        let indexed: Set<String>
    }

    /// The column of a many-to-many relationship's table: whose keys it has, and its name.
    struct End {
        let entity: Int
        let name: String
        let isOrdered: Bool
    }

    /// The table of a many-to-many relationship; if the relationship is its own inverse, there is one end.
    struct Join {
        let first: End
        let second: End?
    }

    /// By number, those of trees that have a table.
    private(set) var entities: [Int: Entity] = [:]
    private(set) var joins: [Join] = []
    private var tables: [String: Table] = [:]
    private var parents: Set<Int> = []

    init(reading connection: SQLiteConnection) throws(SQLiteError) {
        let numbers = try connection.prepare(
            "SELECT Z_ENT, Z_NAME, ifnull(Z_SUPER, 0) FROM Z_PRIMARYKEY "
                + "WHERE Z_ENT > 0 AND Z_ENT < \(FixedTables.changeEntity)")
        while try numbers.step() {
            guard entities.count < CofferModel.Limits.entities else { break }
            let (name, parent) = (numbers.text(1), Int(numbers.int64(2)))
            guard name.isModelName else { continue }
            entities[Int(numbers.int64(0))] = Entity(name: name, parent: parent)
        }
        let columns = try Self.columns(on: connection)
        let indices = try Self.indices(on: connection)
        for number in entities.keys where isRoot(number) {
            guard let name = entities[number].map({ "Z" + $0.name.uppercased() }), let own = columns[name],
                ["Z_PK", "Z_ENT", "Z_OPT"].allSatisfy({ key in own.contains { $0.name == key } })
            else { continue }
            let indexed = own.filter { indices.contains("\(name)_\($0.name)_INDEX") }.map(\.name)
            tables[name] = Table(name: name, columns: own, indexed: Set(indexed))
        }
        parents = Set(entities.values.map(\.parent))
        for (name, own) in columns.sorted(by: { $0.key < $1.key }) where name.hasPrefix("Z_") {
            if let join = Join(own.map(\.name)) { joins.append(join) }
        }
    }

    /// The tables that hold rows themselves, with their columns in order.
    private static func columns(on connection: SQLiteConnection) throws(SQLiteError) -> [String: [Column]] {
        let statement = try connection.prepare(
            "SELECT m.name, c.name, upper(c.type) FROM sqlite_master m, pragma_table_info(m.name) c "
                + "WHERE m.type = 'table' AND m.name GLOB 'Z*' AND m.sql NOT LIKE 'CREATE VIRTUAL%' "
                + "ORDER BY m.name, c.cid")
        var columns: [String: [Column]] = [:]
        while try statement.step() {
            columns[statement.text(0), default: []].append(
                Column(name: statement.text(1), type: statement.text(2)))
        }
        return columns
    }

    private static func indices(on connection: SQLiteConnection) throws(SQLiteError) -> Set<String> {
        let statement = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'index'")
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(0)) }
        return names
    }

    func isRoot(_ number: Int) -> Bool { entities[number].map { entities[$0.parent] == nil } ?? false }

    func hasChildren(_ number: Int) -> Bool { parents.contains(number) }

    /// The table of an entity's tree; `nil` if there is none, or entities inherit in a circle.
    func table(of number: Int) -> Table? {
        var root = number
        for _ in 0...CofferModel.Limits.inheritance {
            guard let entity = entities[root] else { return nil }
            if entities[entity.parent] == nil { return tables["Z" + entity.name.uppercased()] }
            root = entity.parent
        }
        return nil
    }
}

extension GuessedTables.Table {
    func has(_ column: String) -> Bool { columns.contains { $0.name == column } }

    /// The number in the name of the column that says of which entity the objects of another are.
    func entityNumber(beside column: GuessedTables.Column) -> Int? {
        for other in columns where other.name.hasSuffix("_" + column.name.dropFirst()) {
            guard let digits = other.name.dropFirst().split(separator: "_", maxSplits: 1).first,
                let number = Int(digits), other.name == "Z\(number)_" + column.name.dropFirst()
            else { continue }
            return number
        }
        return nil
    }
}

extension GuessedTables.Column {
    /// The name of the property that the column belongs to; `nil` if it belongs to none.
    var propertyName: String? {
        guard !name.hasPrefix("Z_"), name.hasPrefix("Z") else { return nil }
        let property = name.dropFirst().lowercased()
        // Only what leads back to the column; columns with quotations are of no model that is known.
        guard property.isPlainName, "Z" + property.uppercased() == name else { return nil }
        return property
    }

    /// The entity and the name of a to-many relationship without inverse, whose owner's key it has.
    var ownerKey: (entity: Int, name: String)? {
        guard type == "INTEGER" else { return nil }
        let digits = name.dropFirst().prefix { $0.isASCII && $0.isNumber }
        let rest = name.dropFirst(1 + digits.count)
        guard let number = Int(digits), rest.first != "_" else { return nil }
        let property = rest.lowercased()
        guard property.isPlainName, "Z\(number)" + property.uppercased() == name else { return nil }
        return (number, property)
    }
}

extension GuessedTables.Join {
    /// What the columns of a table say; `nil` if they are not those of a many-to-many relationship.
    init?(_ columns: [String]) {
        let keys = columns.filter { !$0.hasPrefix("Z_FOK_") }
        guard keys.count == 2 else { return nil }
        let orders = Set(columns.filter { $0.hasPrefix("Z_FOK_") })
        let ends = keys.filter { $0 != "REFLEXIVE" }.compactMap { GuessedTables.End($0, orders: orders) }
        guard ends.count == (keys.contains("REFLEXIVE") ? 1 : 2) else { return nil }
        self.init(first: ends[0], second: ends.count == 2 ? ends[1] : nil)
    }
}

extension GuessedTables.End {
    /// `Z_27ALBUMS`: keys of the entity 27, which the relationship "albums" leads to.
    fileprivate init?(_ column: String, orders: Set<String>) {
        guard column.hasPrefix("Z_") else { return nil }
        let digits = column.dropFirst(2).prefix { $0.isASCII && $0.isNumber }
        let name = column.dropFirst(2 + digits.count).lowercased()
        guard let number = Int(digits), name.isPlainName, "Z_\(number)" + name.uppercased() == column else {
            return nil
        }
        self.init(
            entity: number, name: name, isOrdered: orders.contains("Z_FOK_" + column.dropFirst(2)))
    }
}
