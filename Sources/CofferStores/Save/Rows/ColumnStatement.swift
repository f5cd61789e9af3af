internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// A compiled INSERT or UPDATE for one entity and one list of properties.
final class ColumnStatement {
    /// How one column of a request is bound to the statement.
    struct Part {
        let parameter: Int
        let property: EntityPlan.Property
        /// Whether bytes are text.
        let isText: Bool
        /// The column whose values may be in external files; `nil` if the attribute does not allow that.
        let external: SQLExternalColumn?
        /// Whether the parameter after it takes the other object's entity number.
        let hasEntity: Bool
        /// The parameter for the place in an ordered relationship.
        let orderParameter: Int?
    }

    let properties: [Int]
    let parts: [Part]
    private let external: ExternalWriter?
    private let numbers: EntityNumbers
    let statement: SQLiteStatement
    /// What history records of an update of these properties.
    let changedColumns: [UInt8]
    /// Parts that are to-one relationships with a to-many inverse.
    let touching: [Int]
    /// Parts that are decimals.
    let decimals: [Int]

    /// Compiles an INSERT; its parameters are the key, then the version, then the columns.
    init(
        inserting properties: [Int], of plan: EntityPlan, on connection: SQLiteConnection
    ) throws(SQLiteError) {
        let (parts, columns) = Self.parts(properties, of: plan)
        let names = columns.map { ", " + $0 }.joined()
        let marks = columns.indices.map { ", ?\($0 + 3)" }.joined()
        statement = try connection.prepare(
            "INSERT INTO \(plan.entity.table) (Z_PK, Z_ENT, Z_OPT\(names)) VALUES (?1, \(plan.entity.number), ?2\(marks))"
        )
        external = plan.external
        numbers = plan.numbers
        self.properties = properties
        self.parts = parts
        changedColumns = []
        (touching, decimals) = Self.kinds(parts)
    }

    /// Compiles an UPDATE; its parameters are the key, then the version that the row must have, then the
    /// columns.
    init(
        updating properties: [Int], of plan: EntityPlan, on connection: SQLiteConnection
    ) throws(SQLiteError) {
        let (parts, columns) = Self.parts(properties, of: plan)
        var values = columns.enumerated().map { "\($1) = ?\($0 + 3), " }
        for part in parts {
            guard let order = part.orderParameter, let owner = part.property.columnName else { continue }
            let column = columns[order - 3]
            // A row that has that owner already keeps its place.
            values[order - 3] =
                "\(column) = CASE WHEN \(owner) = ?\(part.parameter) THEN coalesce(\(column), ?\(order)) ELSE ?\(order) END, "
        }
        statement = try connection.prepare(
            "UPDATE \(plan.entity.table) SET \(values.joined())Z_OPT = Z_OPT + 1 "
                + "WHERE Z_PK = ?1 AND Z_OPT = ?2 AND Z_ENT = \(plan.entity.number)")
        external = plan.external
        numbers = plan.numbers
        self.properties = properties
        self.parts = parts
        changedColumns = plan.history.bitmap(of: properties)
        (touching, decimals) = Self.kinds(parts)
    }

    private static func parts(_ properties: [Int], of plan: EntityPlan) -> ([Part], [String]) {
        var parts: [Part] = []
        var columns: [String] = []
        for property in properties.compactMap({ plan.properties[$0] }) {
            let parameter = columns.count + 3
            var hasEntity = false
            var orderParameter: Int?
            switch property.stored {
            case .attribute(let column, _): columns.append(column)
            case .toOne(let column, let entityColumn, _):
                columns.append(column)
                if let entityColumn {
                    columns.append(entityColumn)
                    hasEntity = true
                }
                if let order = property.orderColumn {
                    columns.append(order)
                    orderParameter = columns.count + 2
                }
            case .toMany, .manyToMany, .unsupported: continue
            }
            let type = property.attribute?.type
            parts.append(
                Part(
                    parameter: parameter, property: property, isText: type == .string || type == .uri,
                    external: SQLExternalColumn(of: property, in: plan.entity.table), hasEntity: hasEntity,
                    orderParameter: orderParameter))
        }
        return (parts, columns)
    }

    private static func kinds(_ parts: [Part]) -> (touching: [Int], decimals: [Int]) {
        (
            parts.indices.filter { parts[$0].property.inverse?.isToMany ?? false },
            parts.indices.filter { parts[$0].property.attribute?.type == .decimal }
        )
    }
}

extension ColumnStatement {
    /// Whether the statement is for exactly these properties, in this order.
    func fits(_ columns: [Column]) -> Bool {
        properties.count == columns.count
            && properties.indices.allSatisfy { properties[$0] == columns[$0].property }
    }

    /// Binds row `row` of `column`, which has been checked, to the part's parameters, except for the order.
    ///
    /// A value that is too large for the row of `key` is written to an external file.
    @inline(__always)
    func bind(_ column: Column, row: Int, to part: Part, key: Int64) throws(SQLiteError) {
        let parameter = part.parameter
        if column.isNull(row) { return try bindNull(part) }
        switch column.values {
        case .integers(let values): try statement.bind(values[row], at: parameter)
        case .bits(let bits): try statement.bind(Int64(bits[row / 8] >> UInt8(row % 8) & 1), at: parameter)
        case .doubles(let values): try statement.bind(values[row], at: parameter)
        case .floats(let values): try statement.bind(Double(values[row]), at: parameter)
        case .bytes(let runs):
            let range = runs.range(row)
            if part.isText {
                try statement.bindText(runs.data, range: range, at: parameter)
            } else if let place = part.external {
                let stored = try external?.stored(runs.data, range, in: place, key: key)
                try statement.bind(stored ?? ExternalData.inlineMark + runs.data[range], at: parameter)
            } else {
                try statement.bindBlob(runs.data, range: range, at: parameter)
            }
        case .uuids(let bytes):
            try statement.bindBlob(bytes, range: (16 * row)..<(16 * row + 16), at: parameter)
        case .decimals(let bytes):
            if DecimalParts.isNaN(bytes, row: row) { return try bindNull(part) }
            try statement.bind(DecimalParts(bytes, row: row).double, at: parameter)
        case .references(let keys, let entities):
            try statement.bind(keys[row], at: parameter)
            if part.hasEntity { try statement.bind(Int64(numbers[Int(entities[row])]), at: parameter + 1) }
        }
    }

    private func bindNull(_ part: Part) throws(SQLiteError) {
        try statement.bindNull(at: part.parameter)
        if part.hasEntity { try statement.bindNull(at: part.parameter + 1) }
    }
}

extension SQLExternalColumn {
    /// The column of an attribute that allows external files; `nil` if it does not.
    init?(of property: EntityPlan.Property, in table: String) {
        guard property.attribute?.allowsExternalStorage ?? false, let name = property.columnName else {
            return nil
        }
        self.init(table: table, name: name)
    }
}
