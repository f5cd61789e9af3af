internal import CofferSQLite

extension SQLSchema {
    /// The triggers that keep derived attributes up to date; empty if the model has no such attribute.
    ///
    /// - Throws: `StoreError.unsupported` for an expression that no store can keep correct.
    func derivedTriggers(present: Set<String> = []) throws(StoreError) -> [DerivedTriggers.Trigger] {
        var triggers: [DerivedTriggers.Trigger] = []
        for derived in try derivedColumns(present: present) {
            triggers += try DerivedTriggers(derived, in: self).all
        }
        return triggers
    }

    /// The names of triggers that are not, by name and text, those of derived attributes, full-text indexes
    /// and sort keys.
    func foreignTriggers(among triggers: [String: String]) -> [String] {
        if triggers.isEmpty { return [] }
        let names = Set(triggers.keys)
        // If we cannot make what the model asks for, the file's triggers are not ours, whatever the reason.
        guard let known = try? derivedTriggers(present: names) else { return Array(names) }
        let all = known + textIndexes.flatMap(\.triggers) + sortKeyTriggers
        let texts = Dictionary(all.map { ($0.name, $0.sql) }) { first, _ in first }
        let former = Dictionary(all.map { ($0.name, $0.formerSQL) }) { first, _ in first }
        return triggers.filter { texts[$0.key] != $0.value && former[$0.key] != $0.value }.map(\.key)
    }

    /// Makes the triggers that a file lacks, inside a transaction, and computes the attributes whose triggers
    /// were incomplete.
    ///
    /// An attribute whose triggers differ keeps them, and gets none of ours: another program made them and
    /// may know better, and both together would count twice.
    /// - Parameters:
    ///   - connection: The one that has the transaction.
    ///   - present: The texts of the file's triggers, by name.
    ///   - log: The log whose functions compute the values.
    /// - Throws: `StoreError.unsupported` for an expression that no store can keep correct.
    /// - Complexity: O(rows) if one was missing, else O(properties of the model).
    func addDerivedTriggers(
        to connection: SQLiteConnection, present: [String: String], log: TriggerLog
    ) throws(StoreError) {
        let columns = try derivedColumns(present: Set(present.keys))
        let wanted = try columns.map { derived throws(StoreError) in
            try DerivedTriggers(derived, in: self).all
        }
        let ours = Dictionary(wanted.joined().map { ($0.name, $0.sql) }) { first, _ in first }
        let others = present.filter { ours[$0.key] != $0.value }.keys
        for (derived, triggers) in zip(columns, wanted) {
            let missing = triggers.filter { present[$0.name] == nil }
            if missing.isEmpty || others.contains(where: derived.isKept(byTriggerNamed:)) { continue }
            let value = try derived.value(of: "o.", in: self)
            let condition = derived.condition("o.").map { " WHERE " + $0 } ?? ""
            try translating { () throws(SQLiteError) in
                try log.register(on: connection)
                // First of all, so that writing the rows themselves fires nothing.
                try connection.execute(
                    "UPDATE \(derived.table) AS o SET \(derived.column) = \(value)\(condition)")
                for trigger in missing { try connection.execute(trigger.sql) }
            }
        }
    }
}
