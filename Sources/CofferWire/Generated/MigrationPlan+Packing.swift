// Made by Protos/generate: do not edit.

internal import CCofferMessages
internal import CofferModel

extension MigrationPlan: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrationPlan>) {
        unsafe coffer__v1__migration_plan__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrationPlan>) throws(WireError) {
        let c = unsafe message.pointee
        self.init()
        isIdle = unsafe c.idle != 0
        isReturn = unsafe c.goes_back != 0
        entities = try unsafe messages(
            c.entities, count: c.n_entities, field: "coffer.v1.MigrationPlan.entities")
        obstacles = try unsafe messages(
            c.obstacles, count: c.n_obstacles, field: "coffer.v1.MigrationPlan.obstacles")
        copiedTables = try unsafe texts(
            c.copied_tables, count: c.n_copied_tables, field: "coffer.v1.MigrationPlan.copied_tables")
        byteCount = unsafe Int(clamping: c.byte_count)
        seconds = unsafe c.seconds
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
