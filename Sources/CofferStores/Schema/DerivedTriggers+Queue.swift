extension DerivedTriggers.Trigger {
    /// A trigger that any SQLite can run, and that notes the key of each row that changes in a queue, once.
    ///
    /// `ON CONFLICT` and not `OR IGNORE`, which a trigger's statement loses to what the statement that fires
    /// it says: so another program's `UPDATE OR ABORT`, or its `INSERT` that updates what it finds, would
    /// fail where the key is noted already.
    init(noting key: String, in queue: String, name: String, event: String) {
        let head = "CREATE TRIGGER \(name) AFTER \(event) FOR EACH ROW BEGIN "
        self.init(
            name: name,
            sql: head + "INSERT INTO \(queue) (key) VALUES (\(key)) ON CONFLICT DO NOTHING; END",
            formerSQL: head + "INSERT OR IGNORE INTO \(queue) (key) VALUES (\(key)); END")
    }
}
