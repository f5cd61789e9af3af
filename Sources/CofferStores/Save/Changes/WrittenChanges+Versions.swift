internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension WrittenChanges {
    /// Gives the owners of to-many relationships that changed their next versions, as Core Data does; once,
    /// and not if the save has written their rows already.
    ///
    /// To be called when all rows are written, and before derived attributes are looked at, which change no
    /// version. A row whose version is unsound, or the last that there can be, keeps it.
    func raiseVersions(_ objects: SavedObjects) throws(StoreError) {
        if touched.isEmpty { return }
        let written = writtenOwners()
        let owners = touched.keys.filter { !written.contains($0) && !objects.isNewOrGone($0) }
        guard !owners.isEmpty else { return }
        try translating { () throws(SQLiteError) in try writer.noteSetVersions() }
        for owner in owners.sorted() {
            let plan = try writer.plan(owner.entity)
            raised[owner] = try translating { () throws(SQLiteError) in
                let statement = try plan.statement(.raise, on: writer.connection) {
                    "UPDATE \(plan.entity.table) SET Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1 "
                        + "AND Z_ENT = \(plan.entity.number) AND typeof(Z_OPT) = 'integer' "
                        + "AND Z_OPT BETWEEN 0 AND \(UInt32.max - 1) RETURNING Z_OPT"
                }
                defer { statement.reset() }
                try statement.bind(owner.key, at: 1)
                guard try statement.step() else { return nil }
                let version = UInt32(exactly: statement.int64(0))
                _ = try statement.step()
                return version
            }
        }
    }

    /// The touched objects whose rows the save has written, which has given them new versions.
    private func writtenOwners() -> Set<LeafKey> {
        let entities = Set(touched.keys.map(\.entity))
        var written: Set<LeafKey> = []
        for group in groups where group.change.kind == .update && entities.contains(group.change.entity) {
            for key in group.change.primaryKeys {
                let object = LeafKey(entity: group.change.entity, key: key)
                if touched[object] != nil { written.insert(object) }
            }
        }
        return written
    }
}

extension StoreWriter {
    /// What `COFFER_STATE` says of the last transaction before changes of to-many relationships gave their
    /// owners new versions.
    private static let setVersions = "set_versions"

    /// Notes where such versions begin, once in a file's life.
    func noteSetVersions() throws(SQLiteError) {
        let statement = try connection.cached(
            "INSERT OR IGNORE INTO COFFER_STATE(name, value) VALUES(?1, ?2)")
        try statement.bind(Self.setVersions, at: 1)
        try statement.bind(Int64(history.lastTransaction), at: 2)
        try statement.run()
    }

    /// Whether since `version` nothing of an object changed but its to-many relationships: a context that saw
    /// that version is not in conflict about it.
    ///
    /// History tells, which has a row for each version. What it does not tell any more counts as a change.
    /// - Complexity: Looks through the changes since then, and at most `Limits.changesForVersions`.
    func hasNewSetsAlone(_ plan: EntityPlan, _ key: Int64, since version: UInt32) throws(StoreError) -> Bool {
        guard let now = try storedVersion(plan, key), now > version else { return false }
        return try translating { () throws(SQLiteError) in
            let query = try connection.cached(
                "SELECT ZCHANGETYPE, ZCOLUMNS FROM ACHANGE WHERE ZENTITY = ?1 AND ZENTITYPK = ?2 "
                    + "AND Z_PK > (SELECT max(Z_PK) FROM ACHANGE) - \(Limits.changesForVersions) "
                    + "AND ZTRANSACTIONID > (SELECT value FROM COFFER_STATE WHERE name = ?3) "
                    + "ORDER BY Z_PK DESC")
            try query.bind(Int64(plan.entity.number), at: 1)
            try query.bind(key, at: 2)
            try query.bind(Self.setVersions, at: 3)
            defer { query.reset() }
            var left = now - version
            while left > 0, try query.step() {
                guard query.int64(0) == Int64(ChangeKind.update.rawValue) else { return false }
                switch plan.history.changesSetsAlone(query.blob(1), of: plan.description) {
                case true?: left -= 1
                case false?: return false
                case nil: continue
                }
            }
            return left == 0
        }
    }

    /// Whether anything of an object changed since `version` that a context may be in conflict about; also if
    /// the object is gone.
    func isStale(_ plan: EntityPlan, _ key: Int64, since version: UInt32) throws(StoreError) -> Bool {
        if try storedVersion(plan, key) == version { return false }
        return try !hasNewSetsAlone(plan, key, since: version)
    }
}
