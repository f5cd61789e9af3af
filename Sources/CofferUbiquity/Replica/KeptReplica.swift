internal import CofferContainer
internal import CofferLinux
internal import CofferMerge
internal import CofferModel
internal import CofferSQLite
internal import CofferStores

/// The registers of a ubiquitous store, what is seen of them and their exchange, in step with the tables of
/// the store's file.
///
/// A value: code that changes it inside a transaction that is rolled back reads it again.
struct KeptReplica: Sendable {
    let model: ManagedObjectModel
    /// Where the file is, for those who are told that it is damaged.
    let path: String
    let content: ModelContent
    /// The SHA-256 of the model.
    var modelID: [UInt8] { content.id }
    /// Whether the file's rows were of another model when they were looked at last.
    var isMigrated = false
    /// Records of the file whose rows were of entities that the model does not have.
    var unreadable: Set<RecordID> = []
    /// Whether the file says of which model its rows are.
    var isModelKept = false
    /// Where registers are looked up; `nil` if all of them are in memory.
    var lookedUp: RegisterTables?
    /// Whether the file does not say what follows of its registers, or of others.
    var owesDerived = true
    /// Whether all that changed is in the file, or will be once its transaction is committed.
    var isKept = false
    var replica: Replica
    var book = RecordBook()
    var values = ValueBook()
    var exchange: Exchange
    /// The number of the last transaction of history that is folded.
    var folded: UInt64 = 0
    /// Which transactions are in which folds.
    var marks = FoldMarks()
    /// What was overruled by what is joined, and is to be noted.
    var conflicts: [SyncConflict] = []
    /// Whether the file was written to without history since the last fold.
    var isForeign = false
    /// What was folded beside the commit queue, and is to be written with the next pass.
    var prepared = PreparedWriting()
    /// Of all registers.
    var digest = StateDigest()
    /// What the file says of it.
    var keptDigest: [UInt8]?
    /// What the file says of which registers it derived what it keeps.
    var keptDerived: [UInt8]?
    /// What the file says of the exchange.
    var keptExchange: ExchangeMark?
    /// Where the file is, and where it says that it was.
    let place: PeerIdentity.Place?
    var keptPlace: PeerIdentity.Place?
    /// Where new ids come from.
    let words: RandomWords

    /// What of an exchange is kept, as far as it tells whether the file is to be changed.
    struct ExchangeMark: Equatable {
        let peer: PeerID
        let foldCount: Int
        let lastBaseline: UInt64
        let vector: KnowledgeVector
        let outbox: [ObjectName]
        let baselines: [KeptBaselines.Mark]
        let formerPeers: Set<PeerID>
        let knowledge: [PeerID: PeerKnowledge]
        let hasNews: Bool
        let objects: [ObjectName: KeptObject]
        let gapSince: WallTime?
        let checkedAt: WallTime?
        let clock: PatientClock?

        init(_ exchange: KeptExchange) {
            (peer, foldCount) = (exchange.peer, exchange.hashes.count)
            (lastBaseline, vector) = (exchange.lastBaseline, exchange.vector)
            outbox = exchange.outbox.map(\.name)
            baselines = exchange.baselines.map(KeptBaselines.Mark.init)
            (formerPeers, knowledge) = (exchange.formerPeers, exchange.knowledge)
            (hasNews, objects) = (exchange.hasNews, exchange.objects)
            (gapSince, checkedAt, clock) = (exchange.gapSince, exchange.checkedAt, exchange.clock)
        }
    }
}

extension KeptReplica {
    /// Reads what a file keeps; of one that was never ubiquitous, nothing.
    ///
    /// - Parameters:
    ///   - connection: That of an open transaction, which is used until `settle`.
    ///   - file: The file.
    ///   - rules: Those of the exchange.
    ///   - isWhole: Whether all registers are to be in memory: for a look at all of them, and for a value
    ///     that outlives the transaction.
    ///   - isDerivedDamaged: Whether nothing could be made of what the file says that follows of registers.
    ///   - words: Where new ids come from.
    /// - Throws: `StoreError` if it cannot be read.
    init(
        reading connection: SQLiteConnection, of file: StoreFile, rules: ExchangeRules, isWhole: Bool = false,
        isDerivedDamaged: Bool = false, words: @escaping RandomWords = Randomness.words
    ) throws(StoreError) {
        let model = file.model.model
        (self.model, path) = (model, file.path)
        self.words = words
        let tables = ReplicaTables(connection: connection)
        var digest: KeptDigest?
        place = file.peerPlace
        replica = Replica(MergeModel(model))
        do throws(ObjectFault) {
            content = try ModelContent(model)
            exchange = Exchange(PeerID(words().0), rules: rules)
            if try Self.translatingSQL({ () throws(SQLiteError) in try tables.exist }) {
                let kept = try Self.exchange(in: tables, else: exchange.peer)
                exchange = Exchange(kept, rules: rules)
                (keptDigest, keptDerived) = try Self.translatingSQL { () throws(SQLiteError) in
                    (try tables.bytes(.digest), try tables.bytes(.derived))
                }
                if let keptDigest { digest = try KeptDigest(bytes: keptDigest, of: kept) }
            }
            try exchange.use(content)
        } catch {
            throw .damaged(path: file.path, detail: "its records for other machines: \(error)")
        }
        guard try ReplicaTables.translating({ () throws(SQLiteError) in try tables.exist }) else { return }
        keptExchange = ExchangeMark(exchange.kept)
        try comparePlaces(tables)
        folded = UInt64(
            bitPattern:
                try ReplicaTables.translating { () throws(SQLiteError) in try tables.integer(.folded) } ?? 0)
        try compareModels(tables, file)
        owesDerived = digest == nil || !isModelKept || keptDerived != derivedMark || isDerivedDamaged
        var isLookedUp = false
        if !isWhole, !owesDerived { isLookedUp = try lookUp(over: connection, of: file, digest: digest) }
        if !isLookedUp { try readRecords(tables, file, digest: digest) }
        try readValues(tables)
        noteFold()
    }

    /// Goes on under a new id if the file is a copy, or was put back: else two would write under one.
    private mutating func comparePlaces(_ tables: ReplicaTables) throws(StoreError) {
        let kept = try ReplicaTables.translating { () throws(SQLiteError) in try tables.bytes(.place) }
        keptPlace = kept.flatMap(PeerIdentity.Place.init(bytes:))
        guard let place, let keptPlace else { return }
        if PeerIdentity(exchange.peer, place: keptPlace).doubt(at: place) != nil {
            exchange.change(to: PeerID(words().0))
        }
    }

    /// Learns whether a migration came since the last pass.
    private mutating func compareModels(_ tables: ReplicaTables, _ file: StoreFile) throws(StoreError) {
        let kept = try ReplicaTables.translating { () throws(SQLiteError) in try tables.bytes(.model) }
        guard let kept else { return }
        isModelKept = kept == content.bytes
        isMigrated = !isModelKept
        if isModelKept { return }
        let former: ModelContent
        do throws(ObjectFault) {
            former = try ModelContent(reading: kept)
        } catch {
            throw .damaged(path: file.path, detail: "the model of its records: \(error)")
        }
        try CanonicalNames.check(from: former.model, to: model, path: file.path)
    }

    private mutating func readRecords(
        _ tables: ReplicaTables, _ file: StoreFile, digest kept: KeptDigest?
    ) throws(StoreError) {
        var registers: [Register] = []
        var rows: [(RecordID, RowAddress)] = []
        try KeptRecords(tables.connection).all { row throws(StoreError) in
            if let (entity, key) = row.row, let index = replica.model.entities[entity]?.index {
                rows.append((row.id, RowAddress(entity: index, key: key)))
            } else if row.row != nil {
                unreadable.insert(row.id)
            }
            registers += try row.registers(path: file.path)
        }
        digest = kept?.digest ?? StateDigest(registers)
        replica = Replica(replica.model, of: registers)
        for (record, cells) in replica.state.cells { values.count(cells, of: record) }
        if keepsMembersAsPairs { isMigrated = true }
        for (name, row) in rows {
            if replica.graph.shows(name) {
                book.bind(name, to: row)
            } else {
                book.note(name, goneFrom: row)
            }
        }
        book.didKeep()
    }

    private mutating func readValues(_ tables: ReplicaTables) throws(StoreError) {
        try ReplicaTables.translating { () throws(SQLiteError) in
            for (name, property) in try tables.wantedValues() { values.want(name, property) }
            values.owe(try KeptPieces(tables.connection).all())
        }
        values.didKeep()
    }

    /// Whether a set without inverse has members of which only a pair tells, as earlier builds wrote it: what
    /// rows show is to be told then, as after a migration.
    private var keepsMembersAsPairs: Bool {
        model.setsWithoutInverse.contains { set in
            let entity = replica.model.entity(at: set.declaringEntityIndex)
            guard let relationship = entity.relationship(entity.propertyName(at: set.index)),
                let owner = relationship.inverse?.property
            else { return false }
            return replica.state.pairs.contains { key, isIn in
                key.relationship == relationship.name && isIn.value
                    && replica.registers.cell(owner, of: key.second) == nil
            }
        }
    }

    private static func exchange(
        in tables: ReplicaTables, else newPeer: PeerID
    ) throws(ObjectFault) -> KeptExchange {
        let facts = try translatingSQL { () throws(SQLiteError) in
            (
                peer: try tables.integer(.peer), hashes: try tables.hashes(),
                vector: try tables.bytes(.vector), baseline: try tables.integer(.lastBaseline),
                outbox: try tables.outbox(), formerPeers: try tables.bytes(.formerPeers) ?? [],
                baselines: try KeptBaselines(tables.connection).rows(),
                knowledge: try tables.bytes(.knowledge) ?? [],
                hasNews: try tables.integer(.hasNews) ?? 0, objects: try KeptObjects(tables.connection).all(),
                gapSince: try tables.integer(.gapSince) ?? 0,
                checkedAt: try tables.integer(.checkedAt) ?? 0,
                seen: try tables.integer(.seenTime), seenWall: try tables.integer(.seenWall)
            )
        }
        var outbox: [OutboxLog] = []
        for bytes in facts.outbox { outbox.append(try OutboxLog(reading: bytes)) }
        var baselines: [OwnBaseline] = []
        for row in facts.baselines {
            if let baseline = try row.baseline() { baselines.append(baseline) }
        }
        var kept = KeptExchange(
            peer: facts.peer.map { PeerID(UInt64(bitPattern: $0)) } ?? newPeer, hashes: facts.hashes,
            vector: try facts.vector.map { (bytes) throws(ObjectFault) in try KnowledgeVector(bytes: bytes) }
                ?? KnowledgeVector(),
            lastBaseline: UInt64(bitPattern: facts.baseline ?? 0), outbox: outbox,
            baselines: baselines,
            formerPeers: PeerID.set(of: facts.formerPeers))
        kept.knowledge = try [PeerID: PeerKnowledge](bytes: facts.knowledge)
        (kept.hasNews, kept.objects) = (facts.hasNews != 0, facts.objects)
        kept.gapSince = facts.gapSince == 0 ? nil : WallTime(microseconds: facts.gapSince)
        kept.checkedAt = facts.checkedAt == 0 ? nil : WallTime(microseconds: facts.checkedAt)
        if let time = facts.seen, let wall = facts.seenWall {
            kept.clock = PatientClock(
                time: WallTime(microseconds: time), wall: WallTime(microseconds: wall))
        }
        return kept
    }

    private static func translatingSQL<Result>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(ObjectFault) -> Result {
        do throws(SQLiteError) { return try body() } catch { throw .malformed(reason: "\(error)") }
    }
}
