// Made by Protos/generate: do not edit.

internal import CCofferMessages
internal import CofferModel

extension MigrationPlan.Entity: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigratedEntity>) {
        unsafe coffer__v1__migrated_entity__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigratedEntity>) throws(WireError) {
        let c = unsafe message.pointee
        let name: String = try unsafe c.name.text("coffer.v1.MigratedEntity.name")
        let formerName: String? = try unsafe c.former_name.optionalText(
            "coffer.v1.MigratedEntity.former_name")
        let change: MigrationPlan.Change = try unsafe requiredChoice(
            c.change.rawValue, "coffer.v1.MigratedEntity.change")
        let objectCount: Int = unsafe Int(clamping: c.object_count)
        let properties: [MigrationPlan.Property] = try unsafe messages(
            c.properties, count: c.n_properties, field: "coffer.v1.MigratedEntity.properties")
        self.init(
            name: name, formerName: formerName, change: change, objectCount: objectCount,
            properties: properties)
    }

    func fill(_ c: inout Coffer__V1__MigratedEntity, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        unsafe c.former_name = arena.text(formerName ?? "")
        unsafe c.change = Coffer__V1__MigrationChange(rawValue: change.wire)
        unsafe c.object_count = UInt64(clamping: objectCount)
        try unsafe (c.n_properties, c.properties) = arena.list(properties)
    }
}
