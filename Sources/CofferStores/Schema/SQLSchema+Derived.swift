internal import CofferSQLite

extension SQLSchema {
    /// The triggers that keep derived attributes right; none where the model has no such attribute.
    ///
    /// - Throws: `StoreError.unsupported` for an expression that no store can keep right.
    func derivedTriggers(present: Set<String> = []) throws(StoreError) -> [DerivedTriggers.Trigger] {
        var triggers: [DerivedTriggers.Trigger] = []
        for derived in try derivedColumns(present: present) {
            triggers += try DerivedTriggers(derived, in: self).all
        }
        return triggers
    }

    /// Whether a file has no other triggers, by name and text, than those of derived attributes and full-text indexes.
    func knows(_ triggers: [String: String]) -> Bool {
        if triggers.isEmpty { return true }
        let names = Set(triggers.keys)
        // Where the model asks for what we cannot make, the file's triggers are none of ours, whatever the reason.
        guard let known = try? derivedTriggers(present: names) else { return false }
        let all = known + textIndexes.flatMap(\.triggers)
        let texts = Dictionary(all.map { ($0.name, $0.sql) }) { first, _ in first }
        return triggers.allSatisfy { texts[$0.key] == $0.value }
    }

    /// Makes the triggers that a file lacks, inside a transaction, and computes the attributes whose triggers it had not all.
    ///
    /// A trigger of the same name that differs stays as it is: it is somebody else's, who may know better.
    /// - Parameters:
    ///   - connection: The one that has the transaction.
    ///   - present: The names of the file's triggers.
    ///   - log: Whose functions the values are computed with.
    /// - Throws: `StoreError.unsupported` for an expression that no store can keep right.
    /// - Complexity: O(rows) where one was missing, else O(properties of the model).
    func addDerivedTriggers(
        to connection: SQLiteConnection, present: Set<String>, log: TriggerLog
    ) throws(StoreError) {
        for derived in try derivedColumns(present: present) {
            let missing = try DerivedTriggers(derived, in: self).all.filter { !present.contains($0.name) }
            if missing.isEmpty { continue }
            let value = try derived.value(of: "o.", in: self)
            let condition = derived.condition("o.").map { " WHERE " + $0 } ?? ""
            try translating { () throws(SQLiteError) in
                try log.register(on: connection)
                // First of all, so that the rows themselves fire nothing.
                try connection.execute(
                    "UPDATE \(derived.table) AS o SET \(derived.column) = \(value)\(condition)")
                for trigger in missing { try connection.execute(trigger.sql) }
            }
        }
    }
}
