internal import CofferSQLite

extension CopyRun {
    /// Takes away indexes and the triggers of derived attributes; what makes them again.
    func takeAwayWhatCanBeMade() throws(StoreError) -> [String] {
        let triggers = try target.derivedTriggers()
        return try translating { () throws(SQLiteError) in
            for trigger in triggers {
                try connection.execute("DROP TRIGGER IF EXISTS main.\(SQLName.quoted(trigger.name))")
            }
            let names = Set(tables.tables.map(\.name) + target.joinTables.map(\.name))
            let indexes = try connection.prepare(
                "SELECT name, tbl_name, sql FROM main.sqlite_master WHERE type = 'index' AND sql NOT NULL")
            var found: [(name: String, sql: String)] = []
            while try indexes.step() {
                if names.contains(indexes.text(1)) { found.append((indexes.text(0), indexes.text(2))) }
            }
            indexes.reset()
            for index in found { try connection.execute("DROP INDEX main.\(SQLName.quoted(index.name))") }
            return found.map(\.sql) + triggers.map(\.sql)
        }
    }

    func makeAgain(_ statements: [String]) throws(StoreError) {
        for statement in statements {
            try tell()
            do throws(SQLiteError) {
                try connection.execute(statement)
            } catch {
                guard case .constraint(_, let message) = error else { throw StoreError(error) }
                throw .damaged(
                    path: source.file.path,
                    detail: "two objects have the same value of what is to be unique (\(message))")
            }
        }
    }
}
