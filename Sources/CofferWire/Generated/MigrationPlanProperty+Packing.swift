// Made by Protos/generate: do not edit.

internal import CCofferMessages
internal import CofferModel

extension MigrationPlan.Property: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigratedProperty>) {
        unsafe coffer__v1__migrated_property__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigratedProperty>) throws(WireError) {
        let c = unsafe message.pointee
        let name: String = try unsafe c.name.text("coffer.v1.MigratedProperty.name")
        let formerName: String? = try unsafe c.former_name.optionalText(
            "coffer.v1.MigratedProperty.former_name")
        let change: MigrationPlan.Change = try unsafe requiredChoice(
            c.change.rawValue, "coffer.v1.MigratedProperty.change")
        let detail: String = try unsafe c.detail.text("coffer.v1.MigratedProperty.detail")
        self.init(name: name, formerName: formerName, change: change, detail: detail)
        changedCount = unsafe Int(clamping: c.changed_count)
        defaultedCount = unsafe Int(clamping: c.defaulted_count)
        droppedCount = unsafe Int(clamping: c.dropped_count)
        examples = try unsafe messages(
            c.examples, count: c.n_examples, field: "coffer.v1.MigratedProperty.examples")
    }

    func fill(_ c: inout Coffer__V1__MigratedProperty, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        unsafe c.former_name = arena.text(formerName ?? "")
        unsafe c.change = Coffer__V1__MigrationChange(rawValue: change.wire)
        unsafe c.detail = arena.text(detail)
        unsafe c.changed_count = UInt64(clamping: changedCount)
        unsafe c.defaulted_count = UInt64(clamping: defaultedCount)
        unsafe c.dropped_count = UInt64(clamping: droppedCount)
        try unsafe (c.n_examples, c.examples) = arena.list(examples)
    }
}
