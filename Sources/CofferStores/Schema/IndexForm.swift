internal import CofferModel

/// How a table keeps a fetch index of a model.
///
/// Source: the design page on storage, part 2.8, and an index of a photo library with a condition and the
/// objects' entity.
enum IndexForm {
    /// By an index of SQLite's.
    case index(name: String, columns: [String], condition: String?)
    /// By an r-tree, which triggers keep along.
    case tree(IndexTree)
    /// Not at all: it is not known how Core Data keeps it.
    case refused(reason: String)

    init(_ index: FetchIndexDefinition, of entity: EntityDescription, in schema: SQLSchema) {
        switch index.kind {
        case .binary: self.init(binary: index, entity, schema)
        case .rTree: self.init(tree: index, entity, schema)
        }
    }

    private init(binary index: FetchIndexDefinition, _ entity: EntityDescription, _ schema: SQLSchema) {
        var columns: [String] = []
        for element in index.elements {
            let column: String?
            if let expression = element.expression {
                // The one expression of which a real store has shown the form.
                column = expression == "entity" ? "Z_ENT" : nil
            } else {
                column = schema.indexedColumn(element.property, of: entity)
            }
            guard let column else {
                self = .refused(
                    reason: "'\(element.subject)' has no column, and no form in SQL that is known")
                return
            }
            columns.append(column + " COLLATE BINARY " + (element.isAscending ? "ASC" : "DESC"))
        }
        var condition: String?
        if let format = index.partialPredicate {
            condition = IndexCondition(of: entity, in: schema).sql(format)
            if condition == nil {
                self = .refused(reason: "its condition '\(format)' has no form in SQL that is known")
                return
            }
        }
        self = .index(name: "Z_\(entity.name)_\(index.name)", columns: columns, condition: condition)
    }

    private init(tree index: FetchIndexDefinition, _ entity: EntityDescription, _ schema: SQLSchema) {
        if index.partialPredicate != nil {
            self = .refused(reason: "an r-tree with a condition is not known")
            return
        }
        var columns: [String] = []
        for element in index.elements {
            let property = entity.propertyIndex(named: element.property).map { entity.properties[$0] }
            guard element.expression == nil, property?.attribute?.type.isNumber ?? false,
                let column = schema.indexedColumn(element.property, of: entity)
            else {
                self = .refused(reason: "'\(element.subject)' is not an attribute that is a number")
                return
            }
            columns.append(column)
        }
        let name = "Z_RT_\(entity.name)_\(index.name)"
        // Its triggers are told from those of others by their texts, which have no quotation.
        guard ([name] + columns).allSatisfy(\.isPlainName) else {
            self = .refused(reason: "the names of an r-tree have letters of ASCII, digits and '_' only")
            return
        }
        guard (1...Limits.treeDimensions).contains(columns.count) else {
            self = .refused(reason: "an r-tree has from 1 to \(Limits.treeDimensions) elements")
            return
        }
        self = .tree(IndexTree(name: name, columns: columns))
    }
}

/// An r-tree over columns of a table, as Core Data makes it; its names are plain.
struct IndexTree {
    let name: String
    let columns: [String]

    /// Removes it and its triggers, if they exist.
    var removal: [String] {
        ["INSERT", "UPDATE", "DELETE"].map { "DROP TRIGGER IF EXISTS main.\(name)_\($0)" }
            + ["DROP TABLE IF EXISTS main.\(name)"]
    }

    /// All that makes it on `table`, as one text by which two of them are compared.
    func form(on table: String) -> String {
        statements(on: table, filling: false).joined(separator: ";")
    }

    /// Makes it and the triggers that keep it along with `table`, and enters what the table has.
    func statements(on table: String, filling: Bool) -> [String] {
        let ranges = columns.flatMap { ["\($0)_MIN", "\($0)_MAX"] }
        let places = (["Z_PK"] + ranges).joined(separator: ", ")
        let values = columns.map { "NEW.\($0) ,NEW.\($0)" }.joined(separator: ", ")
        let row = "(\(places)) VALUES (NEW.Z_PK, \(values)) ; END"
        func trigger(_ event: String, _ body: String) -> String {
            "CREATE TRIGGER \(name)_\(event) AFTER \(event) ON \(table) "
                + "FOR EACH ROW BEGIN \(body)"
        }
        var statements = [
            "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, "
                + ranges.map { "\($0) FLOAT" }.joined(separator: ", ") + ")"
        ]
        if filling {
            let stored = columns.map { "\($0), \($0)" }.joined(separator: ", ")
            statements.append("INSERT INTO \(name) (\(places)) SELECT Z_PK, \(stored) FROM \(table)")
        }
        return statements + [
            trigger("INSERT", "INSERT OR REPLACE INTO \(name) \(row)"),
            trigger("UPDATE", "DELETE FROM \(name) WHERE Z_PK = NEW.Z_PK ; INSERT INTO \(name) \(row)"),
            trigger("DELETE", "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK ; END"),
        ]
    }
}

/// The condition of an index, as far as SQL says just what the predicate does.
struct IndexCondition {
    private let entity: EntityDescription
    private let schema: SQLSchema

    init(of entity: EntityDescription, in schema: SQLSchema) {
        (self.entity, self.schema) = (entity, schema)
    }

    /// SQL for a predicate; `nil` if its form is not known.
    func sql(_ format: String) -> String? {
        do throws(QueryError) {
            return sql(try QueryPredicate(format: format))
        } catch {
            return nil
        }
    }

    private func sql(_ predicate: QueryPredicate) -> String? {
        switch predicate {
        case .comparison(let comparison): return sql(comparison)
        case .and(let parts): return joined(parts, by: " AND ")
        case .or(let parts): return joined(parts, by: " OR ")
        case .always, .not: return nil
        }
    }

    private func joined(_ parts: [QueryPredicate], by word: String) -> String? {
        let all = parts.compactMap { sql($0) }
        guard all.count == parts.count, !all.isEmpty else { return nil }
        return "(" + all.joined(separator: word) + ")"
    }

    private func sql(_ comparison: QueryComparison) -> String? {
        guard comparison.modifier == .direct, comparison.options.isEmpty,
            case .keyPath(let path) = comparison.left, path.count == 1,
            let column = schema.indexedColumn(path[0], of: entity),
            case .constant(let constant) = comparison.right
        else { return nil }
        switch (comparison.operator, constant) {
        case (.equal, .null): return "\(column) IS NULL"
        case (.notEqual, .null): return "\(column) IS NOT NULL"
        case (let sign, .integer(let number)): return Self.sign(sign).map { "\(column) \($0) \(number)" }
        case (let sign, .boolean(let flag)): return Self.sign(sign).map { "\(column) \($0) \(flag ? 1 : 0)" }
        default: return nil
        }
    }

    /// Unlike `!=`, none of these is true of null.
    private static func sign(_ sign: QueryComparison.Operator) -> String? {
        switch sign {
        case .equal: "="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        default: nil
        }
    }
}

extension AttributeType {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .decimal, .date: true
        case .boolean, .string, .binary, .uuid, .uri, .transformable: false
        }
    }
}
