internal import CofferContainer
internal import CofferMerge
internal import CofferSQLite
internal import CofferStores

/// The registers of a shared store in its file, with what was derived of them, looked up one by one.
///
/// It answers what was committed last, or what the open transaction has whose connection it was lent. The
/// first failure is kept, and then nothing is answered any more: a pass asks `check()` before it is
/// committed, and so does whatever else relies on an answer.
///
/// Unchecked, since `UbiquityWork` guards it: it takes the replica over it away for a change, and reads it
/// under a lock.
final class RegisterTables: RegisterBase, @unchecked Sendable {
    /// The connection that is its own; made when it is needed.
    ///
    /// It is let go before the file, which has the lock.
    private var own: SQLiteConnection?
    /// The connection of the transaction that is open.
    private var lent: SQLiteConnection?
    private let file: StoreFile
    private let model: MergeModel
    private var failure: StoreError?
    /// Whether nothing could be made of something that was derived.
    private(set) var isDerivedDamaged = false
    private var foundPages = LookUps<RecordID, RecordPage?>(limit: Limits.pagesLookedUp)
    private var foundFacts = LookUps<RecordID, RecordFacts>(limit: Limits.lookUps)
    private var foundNamers = LookUps<RecordID, PropertyMap<Set<RecordID>>>(limit: Limits.lookUps)
    private var foundSames = LookUps<RecordID, Set<RecordID>>(limit: Limits.lookUps)
    private var foundRows = LookUps<RecordID, RowAddress?>(limit: Limits.lookUps)
    private var foundNames = LookUps<RowAddress, RecordBook.Named?>(limit: Limits.lookUps)
    private var counts: Counts?

    /// How many objects are seen, and how much that the model forbids.
    typealias Counts = (objects: Int, violations: Int)

    /// The tables of a file.
    init(of file: StoreFile, _ model: MergeModel) { (self.file, self.model) = (file, model) }

    /// Reads over a connection from now on, which nothing else uses.
    func read(over connection: SQLiteConnection) { (own, lent) = (connection, nil) }

    /// Answers what an open transaction has, until that is over.
    func lend(_ connection: SQLiteConnection) { lent = connection }

    /// Answers what was committed now, and not over the connection that was lent; `counts` are of that, if
    /// they are known.
    func didCommit(_ counts: Counts?) {
        lent = nil
        foundPages.forgetAll()
        foundFacts.forgetAll()
        foundNamers.forgetAll()
        foundSames.forgetAll()
        foundRows.forgetAll()
        foundNames.forgetAll()
        self.counts = counts
    }

    /// Throws the first failure, if there was one.
    func check() throws(StoreError) {
        if let failure { throw failure }
    }

    private func answer<Result>(
        else empty: Result, _ body: (DerivedTables) throws(StoreError) -> Result
    ) -> Result {
        if failure != nil { return empty }
        do throws(StoreError) {
            let connection: SQLiteConnection
            if let lent {
                connection = lent
            } else if let own {
                connection = own
            } else {
                connection = try file.makeReader()
                own = connection
            }
            return try body(DerivedTables(connection, path: file.path))
        } catch {
            failure = error
            return empty
        }
    }
}

extension RegisterTables {
    private func look<Result>(
        else empty: Result, _ body: (DerivedTables) throws(SQLiteError) -> Result
    ) -> Result {
        answer(else: empty) { tables throws(StoreError) in
            do throws(SQLiteError) { return try body(tables) } catch {
                if case .corrupt = error { isDerivedDamaged = true }
                throw StoreError(error)
            }
        }
    }
}

// MARK: Rows

extension RegisterTables {
    /// The object that a row shows, or showed before it went.
    func named(at row: RowAddress) -> RecordBook.Named? {
        foundNames.value(of: row) {
            look(else: nil) { tables throws(SQLiteError) in try tables.named(at: row) }
        }
    }

    /// The row that shows an object, or that showed it before it went.
    func place(of name: RecordID) -> RecordBook.Place? {
        let row = foundRows.value(of: name) {
            look(else: nil) { [model] tables throws(SQLiteError) in
                try KeptRecords(tables.connection).address(of: name).flatMap { entity, key in
                    model.entities[entity].map { RowAddress(entity: $0.index, key: key) }
                }
            }
        }
        guard let row, let named = named(at: row), named.name == name else { return nil }
        return RecordBook.Place(row: row, isShown: named.isShown)
    }

    /// All rows that show an object or showed one; it costs what there is.
    var places: [RecordID: RecordBook.Place] {
        look(else: [:]) { tables throws(SQLiteError) in try tables.places() }
    }
}

// MARK: Registers, and what is derived of them

extension RegisterTables {
    func page(of record: RecordID) -> RecordPage? {
        foundPages.value(of: record) {
            answer(else: nil) { [file] tables throws(StoreError) in
                let row = try ReplicaTables.translating { () throws(SQLiteError) in
                    try KeptRecords(tables.connection).row(of: record)
                }
                let registers = try row?.registers(path: file.path) ?? []
                return registers.isEmpty ? nil : RecordPage(registers)
            }
        }
    }

    func namers(of record: RecordID) -> PropertyMap<Set<RecordID>> {
        foundNamers.value(of: record) {
            look(else: [:]) { tables throws(SQLiteError) in try tables.namers(of: record) }
        }
    }

    func pairs(to record: RecordID) -> Set<PairKey> {
        look(else: []) { tables throws(SQLiteError) in
            Set(try tables.pairs(to: record))
        }
    }

    func places(of member: RecordID) -> Set<PlaceKey> {
        look(else: []) { tables throws(SQLiteError) in
            Set(try tables.places(of: member))
        }
    }

    func sames(with record: RecordID) -> Set<RecordID> {
        foundSames.value(of: record) {
            look(else: []) { tables throws(SQLiteError) in try tables.sames(with: record) }
        }
    }

    func facts(of record: RecordID) -> RecordFacts {
        foundFacts.value(of: record) {
            look(else: RecordFacts()) { tables throws(SQLiteError) in
                RecordFacts(of: record, try tables.facts(of: record))
            }
        }
    }

    func sharing(_ bucket: KeyIndex.Bucket) -> Set<RecordID> { recordsHaving(.bucket(bucket)) }

    func keyNamers(of record: RecordID) -> Set<RecordID> { recordsHaving(.keyNames(record)) }

    private func recordsHaving(_ fact: DerivedFact) -> Set<RecordID> {
        look(else: []) { tables throws(SQLiteError) in Set(try tables.records(having: fact)) }
    }

    var isEmpty: Bool {
        look(else: true) { tables throws(SQLiteError) in try KeptRecords(tables.connection).isEmpty }
    }

    var records: [RecordID] {
        look(else: []) { tables throws(SQLiteError) in
            try KeptRecords(tables.connection).havingRegisters()
        }
    }

    var dead: [RecordID] { Array(recordsHaving(.dead)) }

    var violations: [Violation] {
        look(else: []) { tables throws(SQLiteError) in try tables.violations() }
    }

    var violationCount: Int { keptCounts.violations }
    var objectCount: Int { keptCounts.objects }

    private var keptCounts: Counts {
        if let counts { return counts }
        let found = look(else: (0, 0)) { tables throws(SQLiteError) in
            let facts = ReplicaTables(connection: tables.connection)
            return (
                Int(clamping: try facts.integer(.objectCount) ?? 0),
                Int(clamping: try facts.integer(.violationCount) ?? 0)
            )
        }
        counts = found
        return found
    }
}
