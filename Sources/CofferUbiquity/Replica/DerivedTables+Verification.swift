internal import CofferMerge
internal import CofferSQLite
internal import CofferStores

extension KeptReplica {
    /// In what the tables differ from what follows of all registers, which are in memory; in words.
    ///
    /// Nothing if they are to be made again anyway.
    func differencesOfDerived(on connection: SQLiteConnection) throws(StoreError) -> [String] {
        if owesDerived { return [] }
        let tables = DerivedTables(connection, path: path)
        var differences: [String] = []
        func compare(_ what: String, _ isEqual: Bool) {
            if isEqual { return }
            differences.append(
                "\(what) do not follow of the registers any more: rebuild the store, which makes them again")
        }
        let (links, facts) = try ReplicaTables.translating { () throws(SQLiteError) in
            (try tables.allLinks(), try tables.allFacts())
        }
        compare("links", links == Set(replica.state.registers.compactMap(DerivedTables.Link.init)))
        var derived: [RecordID: Set<DerivedFact>] = [:]
        for record in replica.changedFacts {
            let all = replica.facts(of: record).all
            if !all.isEmpty { derived[record] = all }
        }
        compare("facts of records", facts == derived)
        let (places, large, counts) = try ReplicaTables.translating { () throws(SQLiteError) in
            let kept = ReplicaTables(connection: connection)
            return (
                try tables.places(), Set(try tables.recordsOfLargeValues()),
                [try kept.integer(.objectCount), try kept.integer(.violationCount)]
            )
        }
        compare("rows of objects", places == book.all)
        compare("records with large values", large == Set(values.named.keys))
        let graph = replica.graph
        compare("counts", counts == [Int64(graph.objectCount), Int64(graph.violationCount)])
        return differences
    }
}

extension DerivedTables {
    /// All links.
    fileprivate func allLinks() throws(SQLiteError) -> Set<Link> {
        let statement = try connection.prepare(
            "SELECT named, kind, entity, property, record FROM COFFER_LINK")
        var links: Set<Link> = []
        while try statement.step() {
            let relationship = RelationshipName(statement.text(2), statement.text(3))
            let kind: Link.Kind =
                switch statement.int64(1) {
                case 0: .cell(relationship.property)
                case 1: .pair(relationship)
                case 2: .place(relationship)
                default: .same
                }
            links.insert(
                Link(named: try record(of: statement, 0), kind: kind, record: try record(of: statement, 4)))
        }
        return links
    }

    /// All facts, by their records.
    fileprivate func allFacts() throws(SQLiteError) -> [RecordID: Set<DerivedFact>] {
        let statement = try connection.prepare("SELECT DISTINCT record FROM COFFER_FACT")
        var facts: [RecordID: Set<DerivedFact>] = [:]
        while try statement.step() {
            let record = try record(of: statement, 0)
            facts[record] = try self.facts(of: record)
        }
        return facts
    }
}
