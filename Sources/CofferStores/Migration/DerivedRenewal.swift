internal import CofferModel
internal import CofferSQLite

/// Makes the triggers of derived attributes again, and computes the attributes.
struct DerivedRenewal {
    private let layout: MigrationLayout
    private let columns: [DerivedColumn]
    private let wanted: [DerivedTriggers.Trigger]
    /// The names of those that the file has.
    private let present: [String]
    /// Whether they are the same, and no row changes that they have seen.
    private let isIdle: Bool

    /// Looks at what the new model asks for, and what the file has, text by name.
    init(_ layout: MigrationLayout, _ triggers: [String: String]) throws(StoreError) {
        self.layout = layout
        columns = try layout.destination.derivedColumns()
        wanted = try layout.destination.derivedTriggers()
        // Those of full-text indexes and sort keys go and come with them.
        let derived = triggers.filter { !$0.key.hasPrefix("COFFER_") }
        present = derived.keys.sorted()
        let texts = Dictionary(wanted.map { ($0.name, $0.sql) }) { first, _ in first }
        isIdle = texts == derived && !layout.movesRows
    }

    func drop(on connection: SQLiteConnection) throws(SQLiteError) {
        if isIdle { return }
        for name in present { try connection.execute("DROP TRIGGER main.\(SQLName.quoted(name))") }
    }

    /// Computes the attributes and makes the triggers.
    ///
    /// An attribute that holds the time of the last change keeps it: a migration changes no object.
    func make(on connection: SQLiteConnection, clock: @escaping @Sendable () -> Double) throws(StoreError) {
        if isIdle || wanted.isEmpty { return }
        let log = TriggerLog(schema: layout.destination, clock: clock)
        for derived in columns where !isTimeOfChange(derived) {
            let value = try derived.value(of: "o.", in: layout.destination)
            let condition = derived.condition("o.").map { " WHERE " + $0 } ?? ""
            try translating { () throws(SQLiteError) in
                try log.register(on: connection)
                try connection.execute(
                    "UPDATE \(derived.table) AS o SET \(derived.column) = \(value)\(condition)")
            }
        }
        try translating { () throws(SQLiteError) in
            for trigger in wanted { try connection.execute(trigger.sql) }
        }
    }

    /// Whether an attribute is the time of the object's last change, and was so before.
    private func isTimeOfChange(_ derived: DerivedColumn) -> Bool {
        guard case .now = derived.derivation.source else { return false }
        return derived.entity.familyIndices.allSatisfy { index in
            let entity = layout.mapping.entities[index]
            guard let origin = entity.origin else { return true }
            guard case .attribute(let place, _) = entity.properties[derived.attribute.index] else {
                return false
            }
            let old = layout.source.model.entities[origin].properties[place].attribute
            return old?.derivationExpression == derived.attribute.derivationExpression
        }
    }
}
