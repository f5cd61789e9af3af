extension DerivedTriggers.Trigger {
    /// A trigger that any SQLite can run, and that adds the key of each changed row to a queue, once.
    ///
    /// It uses `ON CONFLICT` rather than `OR IGNORE`, which the conflict clause of the statement that fires a
    /// trigger overrides: another program's `UPDATE OR ABORT`, or its `INSERT` that updates existing rows,
    /// would fail if the key is in the queue already.
    init(noting key: String, in queue: String, name: String, event: String) {
        let head = "CREATE TRIGGER \(name) AFTER \(event) FOR EACH ROW BEGIN "
        self.init(
            name: name,
            sql: head + "INSERT INTO \(queue) (key) VALUES (\(key)) ON CONFLICT DO NOTHING; END",
            formerSQL: head + "INSERT OR IGNORE INTO \(queue) (key) VALUES (\(key)); END")
    }
}
