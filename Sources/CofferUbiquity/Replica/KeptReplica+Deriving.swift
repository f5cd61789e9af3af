internal import CofferContainer
internal import CofferFormats
internal import CofferMerge
internal import CofferSQLite
internal import CofferStores

// What follows of registers is kept beside them, so that a store is opened, and a small change folded or
// joined, without reading all.

extension KeptReplica {
    /// What the file says if what it keeps was derived of these registers, by this model and these rules.
    var derivedMark: [UInt8] {
        var hash = SHA256()
        hash.update(keptDigest ?? [])
        hash.update(modelID)
        // A number that changes with the tables, and with the rules of merging.
        hash.update([1])
        return hash.digest()
    }

    /// Looks up what is kept, and reads none of it now but which large values registers name.
    ///
    /// - Returns: Whether anything can be made of it; else all is to be read.
    mutating func lookUp(
        over connection: SQLiteConnection, of file: StoreFile, digest kept: KeptDigest?
    ) throws(StoreError) -> Bool {
        guard let kept else { return false }
        let tables = RegisterTables(of: file, replica.model)
        tables.lend(connection)
        let derived = DerivedTables(connection, path: file.path)
        let over = Replica(replica.model, over: tables)
        var values = ValueBook()
        do throws(StoreError) {
            let records = try ReplicaTables.translating { () throws(SQLiteError) in
                try derived.recordsOfLargeValues()
            }
            for record in records { values.count(over.registers.cells(of: record), of: record) }
            try tables.check()
        } catch {
            guard case .damaged = error else { throw error }
            owesDerived = true
            return false
        }
        (lookedUp, digest, self.values) = (tables, kept.digest, values)
        (replica, book) = (over, RecordBook(over: tables))
        return true
    }

    /// Looks up from now on what the file has, once that is committed.
    mutating func settle(in file: StoreFile) {
        guard isKept, !owesDerived else {
            lookedUp?.didCommit(nil)
            return
        }
        let tables = lookedUp ?? RegisterTables(of: file, replica.model)
        lookedUp = tables
        tables.didCommit((replica.graph.objectCount, replica.graph.violationCount))
        replica = Replica(replica.model, over: tables)
        book = RecordBook(over: tables)
    }

    /// Keeps the registers of some records, and what follows of all that changed.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - packed: The registers of some of them, packed.
    ///   - connection: The writer's.
    /// - Throws: `StoreError`; the transaction is to be rolled back then.
    mutating func keep(
        _ records: Set<RecordID>, packed: [RecordID: [[UInt8]]], on connection: SQLiteConnection
    ) throws(StoreError) {
        let kept = KeptRecords(connection)
        let derived = DerivedTables(connection, path: path)
        for record in records {
            let registers = replica.registers.all(keptWith: record)
            let runs = if let packed = packed[record] { packed } else { try runs(of: registers) }
            let row = book.keptRow(of: record).map { (replica.model.entity(at: $0.entity).name, $0.key) }
            let former = try ReplicaTables.translating { () throws(SQLiteError) in
                try lookedUp == nil ? nil : kept.row(of: record)
            }
            try ReplicaTables.translating { () throws(SQLiteError) in
                try kept.keep(KeptRecords.Row(id: record, row: row, runs: runs))
            }
            if lookedUp != nil { try keepLinks(of: registers, insteadOf: former, record, in: derived) }
        }
        if isMigrated { return }
        // What went of all facts is not told of by a replica that has all of them in memory.
        if owesDerived || lookedUp == nil {
            try deriveAll(in: derived)
        } else {
            try ReplicaTables.translating { () throws(SQLiteError) in
                for name in book.changed {
                    if let place = book.place(of: name) { try derived.keep(name, at: place) }
                }
            }
        }
        let tables = ReplicaTables(connection: connection)
        try ReplicaTables.translating { () throws(SQLiteError) in
            for record in replica.changedFacts { try derived.keep(replica.facts(of: record).all, of: record) }
            try tables.keep(.objectCount, Int64(replica.graph.objectCount))
            try tables.keep(.violationCount, Int64(replica.graph.violationCount))
        }
        owesDerived = false
    }

    /// Keeps which others the registers of a record name, and forgets the row that it had.
    private func keepLinks(
        of registers: [Register], insteadOf former: KeptRecords.Row?, _ record: RecordID,
        in derived: DerivedTables
    ) throws(StoreError) {
        let formerRegisters = try former?.registers(path: path) ?? []
        let links = Set(registers.compactMap(DerivedTables.Link.init))
        let formerLinks = Set(formerRegisters.compactMap(DerivedTables.Link.init))
        let namesLarge = registers.contains(where: \.namesLargeValue)
        try ReplicaTables.translating { () throws(SQLiteError) in
            for link in formerLinks.subtracting(links) { try derived.forget(link) }
            for link in links.subtracting(formerLinks) { try derived.keep(link) }
            if namesLarge != formerRegisters.contains(where: \.namesLargeValue) {
                try derived.keep(record, namesLargeValues: namesLarge)
            }
            if let (entity, key) = former?.row, let index = replica.model.entities[entity]?.index,
                book.changed.contains(record)
            {
                try derived.forget(record, at: RowAddress(entity: index, key: key))
            }
        }
    }

    /// Keeps what follows of all registers, but for facts.
    private func deriveAll(in derived: DerivedTables) throws(StoreError) {
        try ReplicaTables.translating { () throws(SQLiteError) in
            try derived.clear()
            for register in replica.state.registers {
                if let link = DerivedTables.Link(register) { try derived.keep(link) }
            }
            for record in values.named.keys { try derived.keep(record, namesLargeValues: true) }
            for (name, place) in book.all { try derived.keep(name, at: place) }
        }
    }
}

extension Register {
    /// Whether it is of a value that stands beside registers.
    fileprivate var namesLargeValue: Bool {
        if case .cell(_, _, let cell) = self, case .large = cell.value.content { true } else { false }
    }
}
