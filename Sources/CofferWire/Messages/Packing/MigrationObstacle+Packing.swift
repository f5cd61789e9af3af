internal import CCofferMessages
internal import CofferModel

extension MigrationObstacle.Example: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrationExample>) {
        unsafe coffer__v1__migration_example__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrationExample>) throws(WireError) {
        let c = unsafe message.pointee
        let value = try unsafe c.value.text("coffer.v1.MigrationExample.value")
        try unsafe self.init(
            entity: c.entity.text("coffer.v1.MigrationExample.entity"), key: c.key,
            value: c.null != 0 ? nil : value)
    }

    func fill(_ c: inout Coffer__V1__MigrationExample, in arena: inout PackArena) {
        unsafe c.entity = arena.text(entity)
        unsafe c.key = key
        unsafe c.value = arena.text(value ?? "")
        unsafe c.null = value == nil ? 1 : 0
    }
}

/// The fields of `coffer.v1.MigrationObstacle`, of which each kind has some.
private struct ObstacleFields {
    var kind: Coffer__V1__MigrationObstacle__Kind
    var text = ""
    var entity = ""
    var properties: [String] = []
    var from = ""
    var to = ""
    var count = 0
    var examples: [MigrationObstacle.Example] = []
    var groups: [MigrationObstacle.Duplicates] = []
}

extension ObstacleFields {
    init(_ obstacle: MigrationObstacle) {
        switch obstacle {
        case .notInferable(let text):
            self.init(kind: COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_NOT_INFERABLE, text: text)
        case .unconvertible(let entity, let attribute, let from, let to, let count, let examples):
            self.init(
                kind: COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_UNCONVERTIBLE, entity: entity,
                properties: [attribute], from: from, to: to, count: count, examples: examples)
        case .missing(let entity, let property, let count, let examples):
            self.init(
                kind: COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_MISSING, entity: entity,
                properties: [property], count: count, examples: examples)
        case .duplicates(let entity, let constraint, let count, let groups):
            self.init(
                kind: COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_DUPLICATES, entity: entity,
                properties: constraint, count: count, groups: groups)
        case .abstract(let entity, let count):
            self.init(
                kind: COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_ABSTRACT, entity: entity, count: count)
        case .unstorable(let entity, let relationship, let count):
            self.init(
                kind: COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_UNSTORABLE, entity: entity,
                properties: [relationship], count: count)
        case .stray(let table, let count):
            self.init(
                kind: COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_STRAY, text: table, count: count)
        case .foreign(let item):
            self.init(kind: COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_FOREIGN, text: item)
        }
    }

    /// What they say; `nil` for a kind of a later version.
    var obstacle: MigrationObstacle? {
        let property = properties.first ?? ""
        switch kind {
        case COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_NOT_INFERABLE: return .notInferable(text: text)
        case COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_UNCONVERTIBLE:
            return .unconvertible(
                entity: entity, attribute: property, from: from, to: to, count: count, examples: examples)
        case COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_MISSING:
            return .missing(entity: entity, property: property, count: count, examples: examples)
        case COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_DUPLICATES:
            return .duplicates(entity: entity, constraint: properties, count: count, groups: groups)
        case COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_ABSTRACT:
            return .abstract(entity: entity, count: count)
        case COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_UNSTORABLE:
            return .unstorable(entity: entity, relationship: property, count: count)
        case COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_STRAY: return .stray(table: text, count: count)
        case COFFER__V1__MIGRATION_OBSTACLE__KIND__KIND_FOREIGN: return .foreign(item: text)
        default: return nil
        }
    }
}

extension MigrationObstacle: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrationObstacle>) {
        unsafe coffer__v1__migration_obstacle__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrationObstacle>) throws(WireError) {
        let c = unsafe message.pointee
        let fields = try unsafe ObstacleFields(
            kind: c.kind, text: c.text.text("coffer.v1.MigrationObstacle.text", limit: Limits.text),
            entity: c.entity.text("coffer.v1.MigrationObstacle.entity"),
            properties: texts(
                c.properties, count: c.n_properties, field: "coffer.v1.MigrationObstacle.properties"),
            from: c.from.text("coffer.v1.MigrationObstacle.from"),
            to: c.to.text("coffer.v1.MigrationObstacle.to"), count: Int(clamping: c.count),
            examples: messages(
                c.examples, count: c.n_examples, field: "coffer.v1.MigrationObstacle.examples"),
            groups: messages(c.groups, count: c.n_groups, field: "coffer.v1.MigrationObstacle.groups"))
        guard let obstacle = fields.obstacle else {
            throw .malformed("coffer.v1.MigrationObstacle.kind")
        }
        self = obstacle
    }

    func fill(_ c: inout Coffer__V1__MigrationObstacle, in arena: inout PackArena) throws(WireError) {
        let fields = ObstacleFields(self)
        unsafe c.kind = fields.kind
        unsafe c.text = arena.text(fields.text.clipped(toBytes: Limits.text))
        unsafe c.entity = arena.text(fields.entity)
        unsafe (c.n_properties, c.properties) = arena.texts(fields.properties)
        unsafe c.from = arena.text(fields.from)
        unsafe c.to = arena.text(fields.to)
        unsafe c.count = UInt64(clamping: fields.count)
        try unsafe (c.n_examples, c.examples) = arena.list(fields.examples)
        try unsafe (c.n_groups, c.groups) = arena.list(fields.groups)
    }
}
