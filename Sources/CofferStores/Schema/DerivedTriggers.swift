internal import CofferModel

/// Makes the triggers that keep a derived attribute up to date, whichever program writes, in the form that
/// Core Data gives them.
///
/// Those of a count are Core Data's to the letter, as measured in real stores. The others follow the same
/// scheme: if a relationship is involved, triggers on the owner's own row are called `SOURCE`, and triggers
/// on rows at the other end `PARAMETER`. Each ends with a call that reports the row, so that the writer
/// learns what was changed behind its back.
///
/// A sum of integers is updated by differences; other numbers are added up again for each change, since
/// differences of them would drift.
struct DerivedTriggers {
    /// One trigger.
    struct Trigger: Equatable {
        var name: String
        var sql: String
        /// The form of older stores, which a store that is opened read-only may still have.
        var formerSQL: String?
    }

    private let schema: SQLSchema
    private let derived: DerivedColumn
    private(set) var all: [Trigger] = []

    init(_ derived: DerivedColumn, in schema: SQLSchema) throws(StoreError) {
        self.schema = schema
        self.derived = derived
        switch derived.derivation.source {
        case .own(let other): try own(of: try derived.column(of: other, in: derived.entity, schema))
        case .now: try own(of: "Z_OPT")
        case .related(let relationship, let other): try related(relationship, other)
        case .count(let relationship):
            try sourceInsert()
            switch try derived.toMany(relationship, schema) {
            case .toMany(let table, let key, _, _, _): count(of: key, in: table)
            case .manyToMany(let table, let own, _, _, _): countJoin(of: own, in: table)
            case .attribute, .toOne, .unsupported: throw derived.unsupported
            }
        case .sum(let relationship, let other):
            try sourceInsert()
            let number = try derived.column(of: other, in: schema.model.destination(of: relationship), schema)
            switch try derived.toMany(relationship, schema) {
            case .toMany(let table, let key, _, _, _):
                if other.type.integerRange != nil, derived.attribute.type.integerRange != nil {
                    sumDifferences(of: number, key, in: table)
                } else {
                    try sumAnew(of: number, key, in: table)
                }
            case .manyToMany(let table, let own, let target, _, _):
                let place = "Z" + schema.model.destination(of: relationship).rootName.uppercased()
                try sumJoin(of: number, in: place, through: table, owner: own, member: target)
            case .attribute, .toOne, .unsupported: throw derived.unsupported
            }
        }
    }
}

// MARK: Of the owner's own row

extension DerivedTriggers {
    private mutating func own(of column: String) throws(StoreError) {
        let value = try derived.value(of: "NEW.", in: schema)
        add(
            "INSERT", "AFTER INSERT ON \(derived.table)", when: derived.condition("NEW."), setting: value,
            isInsert: true)
        add(
            "UPDATE", "AFTER UPDATE OF \(column) ON \(derived.table)", when: derived.condition("NEW."),
            setting: value)
    }

    private mutating func sourceInsert() throws(StoreError) {
        add(
            "SOURCE_INSERT", "AFTER INSERT ON \(derived.table)", when: derived.condition("NEW."),
            setting: try derived.value(of: "NEW.", in: schema), isInsert: true)
    }

    private mutating func related(
        _ relationship: RelationshipDescription, _ other: AttributeDescription
    ) throws(StoreError) {
        let (place, key) = try derived.toOne(relationship, schema)
        let (table, column) = (
            "Z" + place.rootName.uppercased(), try derived.column(of: other, in: place, schema)
        )
        try sourceInsert()
        add(
            "SOURCE_UPDATE", "AFTER UPDATE OF \(key) ON \(derived.table)", when: derived.condition("NEW."),
            setting: try derived.value(of: "NEW.", in: schema))
        let value = derived.transformed("NEW.\(column)")
        // The owner may have come first.
        add("PARAMETER_INSERT", "AFTER INSERT", on: table, setting: value, where: "\(key) = NEW.Z_PK")
        add(
            "PARAMETER_UPDATE", "AFTER UPDATE OF \(column)", on: table, setting: value,
            where: "\(key) = NEW.Z_PK")
        add("PARAMETER_DELETE", "AFTER DELETE", on: table, setting: "NULL", where: "\(key) = OLD.Z_PK")
    }
}

// MARK: Of rows at the other end

extension DerivedTriggers {
    private mutating func count(of key: String, in table: String) {
        let (column, more, less) = (derived.column, "NEW.\(key)", "OLD.\(key)")
        add(
            "PARAMETER_INSERT", "AFTER INSERT", on: table, when: "\(more) NOT NULL",
            setting: "IFNULL(\(column), 0) + 1", where: "Z_PK = \(more)")
        let update = "AFTER UPDATE OF \(key)"
        add(
            "PARAMETER_UPDATE_INCREMENT", update, on: table, when: "\(more) NOT NULL",
            setting: "\(column) + 1",
            where: "Z_PK = \(more)")
        add(
            "PARAMETER_UPDATE_DECREMENT", update, on: table, when: "\(less) NOT NULL",
            setting: "\(column) - 1",
            where: "Z_PK = \(less)")
        add(
            "PARAMETER_DELETE", "AFTER DELETE", on: table, when: "\(less) NOT NULL", setting: "\(column) - 1",
            where: "Z_PK = \(less)")
    }

    private mutating func countJoin(of own: String, in table: String) {
        add(
            "PARAMETER_INSERT", "AFTER INSERT", on: table, setting: "IFNULL(\(derived.column), 0) + 1",
            where: "Z_PK = NEW.\(own)")
        add(
            "PARAMETER_DELETE", "AFTER DELETE", on: table, setting: "\(derived.column) - 1",
            where: "Z_PK = OLD.\(own)")
    }

    private mutating func sumDifferences(of number: String, _ key: String, in table: String) {
        let (column, more, less) = (derived.column, "NEW.\(key)", "OLD.\(key)")
        let (plus, minus) = ("+ IFNULL(NEW.\(number), 0)", "- IFNULL(OLD.\(number), 0)")
        add(
            "PARAMETER_INSERT", "AFTER INSERT", on: table, when: "\(more) NOT NULL",
            setting: "IFNULL(\(column), 0) \(plus)", where: "Z_PK = \(more)")
        let update = "AFTER UPDATE OF \(key), \(number)"
        add(
            "PARAMETER_UPDATE_INCREMENT", update, on: table, when: "\(more) NOT NULL",
            setting: "\(column) \(plus)", where: "Z_PK = \(more)")
        add(
            "PARAMETER_UPDATE_DECREMENT", update, on: table, when: "\(less) NOT NULL",
            setting: "\(column) \(minus)", where: "Z_PK = \(less)")
        add(
            "PARAMETER_DELETE", "AFTER DELETE", on: table, when: "\(less) NOT NULL",
            setting: "\(column) \(minus)", where: "Z_PK = \(less)")
    }

    private mutating func sumAnew(of number: String, _ key: String, in table: String) throws(StoreError) {
        let value = try derived.value(of: derived.table + ".", in: schema)
        for (name, event, row) in [
            ("PARAMETER_INSERT", "AFTER INSERT", "NEW"),
            ("PARAMETER_UPDATE_INCREMENT", "AFTER UPDATE OF \(key), \(number)", "NEW"),
            ("PARAMETER_UPDATE_DECREMENT", "AFTER UPDATE OF \(key), \(number)", "OLD"),
            ("PARAMETER_DELETE", "AFTER DELETE", "OLD"),
        ] {
            add(
                name, event, on: table, when: "\(row).\(key) NOT NULL", setting: value,
                where: "Z_PK = \(row).\(key)")
        }
    }

    private mutating func sumJoin(
        of number: String, in place: String, through table: String, owner own: String, member target: String
    ) throws(StoreError) {
        let value = try derived.value(of: derived.table + ".", in: schema)
        add("PARAMETER_INSERT", "AFTER INSERT", on: table, setting: value, where: "Z_PK = NEW.\(own)")
        add("PARAMETER_DELETE", "AFTER DELETE", on: table, setting: value, where: "Z_PK = OLD.\(own)")
        let owners = "Z_PK IN (SELECT \(own) FROM \(table) WHERE \(target) = NEW.Z_PK)"
        // A member may come after its membership.
        add("MEMBER_INSERT", "AFTER INSERT", on: place, setting: value, where: owners)
        add("MEMBER_UPDATE", "AFTER UPDATE OF \(number)", on: place, setting: value, where: owners)
    }
}

// MARK: Text

extension DerivedTriggers {
    /// Adds a trigger that fires for the owner's own row.
    private mutating func add(
        _ name: String, _ event: String, when condition: String?, setting value: String,
        isInsert: Bool = false
    ) {
        add(
            name, event + " FOR EACH ROW", firedOn: derived.table, when: condition, setting: value,
            where: "Z_PK = NEW.Z_PK", isInsert: isInsert)
    }

    /// Adds a trigger that fires for a row of another table, or for one at the other end.
    private mutating func add(
        _ name: String, _ event: String, on table: String, when condition: String? = nil,
        setting value: String,
        where place: String
    ) {
        add(
            name, "\(event) ON \(table) FOR EACH ROW", firedOn: table, when: condition, setting: value,
            where: place + derived.furtherCondition, isInsert: false)
    }

    private mutating func add(
        _ name: String, _ event: String, firedOn fired: String, when condition: String?,
        setting value: String,
        where place: String, isInsert: Bool
    ) {
        let (table, column) = (derived.table, derived.column)
        let name = "Z_DA_\(fired)_\(derived.entity.name)_\(derived.attribute.name)_\(name)"
        let report = isInsert ? DerivedFunction.reportInsert : DerivedFunction.reportUpdate
        all.append(
            Trigger(
                name: name,
                sql: "CREATE TRIGGER \(name) \(event)\(condition.map { " WHEN (\($0))" } ?? "") BEGIN "
                    + "UPDATE \(table) SET \(column) = \(value) WHERE \(place); "
                    + "SELECT \(report.rawValue)('\(table)', Z_ENT, Z_PK, '\(derived.attribute.name)', \(column)) "
                    + "FROM \(table) WHERE \(place); END"))
    }
}
