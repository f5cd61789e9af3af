internal import CCofferMessages
internal import CofferModel

extension MigrationRouteMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrationRoute>) {
        unsafe coffer__v1__migration_route__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrationRoute>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            mapping: optional(c.mapping),
            stages: messages(
                c.stages, count: c.n_stages, field: "coffer.v1.MigrationRoute.stages", limit: Limits.list))
    }

    func fill(_ c: inout Coffer__V1__MigrationRoute, in arena: inout PackArena) throws(WireError) {
        try unsafe c.mapping = arena.makeOptional(mapping)
        try unsafe (c.n_stages, c.stages) = arena.list(stages)
    }
}

extension MigrationRouteMessage.Stage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrationStage>) {
        unsafe coffer__v1__migration_stage__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrationStage>) throws(WireError) {
        let c = unsafe message.pointee
        let model = try unsafe optional(c.model, as: ModelMessage.self)
        try unsafe self.init(
            name: c.name.text("coffer.v1.MigrationStage.name"), model: model?.model,
            mapping: optional(c.mapping))
    }

    func fill(_ c: inout Coffer__V1__MigrationStage, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        try unsafe c.model = arena.makeOptional(model.map { ModelMessage($0) })
        try unsafe c.mapping = arena.makeOptional(mapping)
    }
}

extension MigratedStageMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigratedStage>) {
        unsafe coffer__v1__migrated_stage__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigratedStage>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: c.name.text("coffer.v1.MigratedStage.name"),
            plan: required(c.plan, "coffer.v1.MigratedStage.plan"), number: c.number,
            backup: c.backup.text("coffer.v1.MigratedStage.backup", limit: Limits.text))
    }

    func fill(_ c: inout Coffer__V1__MigratedStage, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        try unsafe c.plan = arena.make(plan)
        unsafe c.number = number
        unsafe c.backup = arena.text(backup)
    }
}
