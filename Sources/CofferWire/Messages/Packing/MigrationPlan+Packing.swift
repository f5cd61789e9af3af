internal import CCofferMessages
internal import CofferModel

extension MigrationPlan: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrationPlan>) {
        unsafe coffer__v1__migration_plan__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrationPlan>) throws(WireError) {
        let c = unsafe message.pointee
        self.init()
        unsafe isIdle = c.idle != 0
        unsafe isReturn = c.goes_back != 0
        try unsafe entities = messages(
            c.entities, count: c.n_entities, field: "coffer.v1.MigrationPlan.entities")
        try unsafe obstacles = messages(
            c.obstacles, count: c.n_obstacles, field: "coffer.v1.MigrationPlan.obstacles")
        try unsafe copiedTables = texts(
            c.copied_tables, count: c.n_copied_tables, field: "coffer.v1.MigrationPlan.copied_tables")
        unsafe byteCount = Int(clamping: c.byte_count)
        unsafe seconds = c.seconds
    }

    func fill(_ c: inout Coffer__V1__MigrationPlan, in arena: inout PackArena) throws(WireError) {
        unsafe c.idle = isIdle ? 1 : 0
        unsafe c.goes_back = isReturn ? 1 : 0
        try unsafe (c.n_entities, c.entities) = arena.list(entities)
        try unsafe (c.n_obstacles, c.obstacles) = arena.list(obstacles)
        unsafe (c.n_copied_tables, c.copied_tables) = arena.texts(copiedTables)
        unsafe c.byte_count = UInt64(clamping: byteCount)
        unsafe c.seconds = seconds
    }
}

extension MigrationPlan.Entity: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigratedEntity>) {
        unsafe coffer__v1__migrated_entity__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigratedEntity>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: c.name.text("coffer.v1.MigratedEntity.name"),
            formerName: c.former_name.optionalText("coffer.v1.MigratedEntity.former_name"),
            change: MigrationPlan.Change.read(c.change, "coffer.v1.MigratedEntity.change"),
            objectCount: Int(clamping: c.object_count),
            properties: messages(
                c.properties, count: c.n_properties, field: "coffer.v1.MigratedEntity.properties"))
    }

    func fill(_ c: inout Coffer__V1__MigratedEntity, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        unsafe c.former_name = arena.text(formerName ?? "")
        unsafe c.change = change.written
        unsafe c.object_count = UInt64(clamping: objectCount)
        try unsafe (c.n_properties, c.properties) = arena.list(properties)
    }
}

extension MigrationPlan.Property: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigratedProperty>) {
        unsafe coffer__v1__migrated_property__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigratedProperty>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: c.name.text("coffer.v1.MigratedProperty.name"),
            formerName: c.former_name.optionalText("coffer.v1.MigratedProperty.former_name"),
            change: MigrationPlan.Change.read(c.change, "coffer.v1.MigratedProperty.change"),
            detail: c.detail.text("coffer.v1.MigratedProperty.detail"))
        unsafe changedCount = Int(clamping: c.changed_count)
        unsafe defaultedCount = Int(clamping: c.defaulted_count)
        unsafe droppedCount = Int(clamping: c.dropped_count)
        try unsafe examples = messages(
            c.examples, count: c.n_examples, field: "coffer.v1.MigratedProperty.examples")
    }

    func fill(_ c: inout Coffer__V1__MigratedProperty, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        unsafe c.former_name = arena.text(formerName ?? "")
        unsafe c.change = change.written
        unsafe c.detail = arena.text(detail)
        unsafe c.changed_count = UInt64(clamping: changedCount)
        unsafe c.defaulted_count = UInt64(clamping: defaultedCount)
        unsafe c.dropped_count = UInt64(clamping: droppedCount)
        try unsafe (c.n_examples, c.examples) = arena.list(examples)
    }
}

extension MigrationPlan.Change {
    /// The changes, by what messages call them.
    private static let wire: [(change: MigrationPlan.Change, value: Coffer__V1__MigrationChange)] = [
        (.added, COFFER__V1__MIGRATION_CHANGE__MIGRATION_CHANGE_ADDED),
        (.removed, COFFER__V1__MIGRATION_CHANGE__MIGRATION_CHANGE_REMOVED),
        (.kept, COFFER__V1__MIGRATION_CHANGE__MIGRATION_CHANGE_KEPT),
        (.converted, COFFER__V1__MIGRATION_CHANGE__MIGRATION_CHANGE_CONVERTED),
    ]

    fileprivate static func read(
        _ value: Coffer__V1__MigrationChange, _ field: String
    ) throws(WireError) -> MigrationPlan.Change {
        guard let known = wire.first(where: { $0.value == value }) else { throw .malformed(field) }
        return known.change
    }

    fileprivate var written: Coffer__V1__MigrationChange {
        Self.wire.first { $0.change == self }?.value
            ?? COFFER__V1__MIGRATION_CHANGE__MIGRATION_CHANGE_UNSPECIFIED
    }
}
