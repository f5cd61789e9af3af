internal import CofferContainer
internal import CofferLinux
internal import CofferMerge
internal import CofferModel
internal import CofferSQLite
internal import CofferStores

/// The registers of a ubiquitous store, what is seen of them and their exchange, in memory, in step with the
/// tables of the store's file.
///
/// A value: whoever changes it inside a transaction that is rolled back reads it anew.
struct KeptReplica: Sendable {
    let model: ManagedObjectModel
    private let content: ModelContent
    /// The SHA-256 of the model.
    var modelID: [UInt8] { content.id }
    /// Whether the file's rows were of another model when they were looked at last.
    var isMigrated = false
    /// Records of the file whose rows were of entities that the model does not have.
    var unreadable: Set<RecordID> = []
    /// Whether the file says of which model its rows are.
    private var isModelKept = false
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
    /// Whether somebody wrote into the file without history since the last fold.
    var isForeign = false
    /// What was folded beside the commit queue, and is to be written with the next pass.
    var prepared = PreparedWriting()
    /// Of the registers of each record, and of all.
    private(set) var digests: [RecordID: StateDigest] = [:]
    private(set) var digest = StateDigest()
    /// Records whose registers the file has in more than one run.
    private var cutRecords: Set<RecordID> = []
    /// What the file says of the exchange.
    private var keptExchange: ExchangeMark?
    /// Where the file is, and where it says that it was.
    private let place: PeerIdentity.Place?
    private var keptPlace: PeerIdentity.Place?
    /// Where new ids come from.
    let words: RandomWords

    /// What of an exchange is kept, as far as it tells whether the file is to be changed.
    private struct ExchangeMark: Equatable {
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
    init(
        reading connection: SQLiteConnection, of file: StoreFile, rules: ExchangeRules,
        words: @escaping RandomWords = Randomness.words
    ) throws(StoreError) {
        let model = file.model.model
        self.model = model
        self.words = words
        let tables = ReplicaTables(connection: connection)
        place = file.peerPlace
        replica = Replica(MergeModel(model))
        do throws(ObjectFault) {
            content = try ModelContent(model)
            exchange = Exchange(PeerID(words().0), rules: rules)
            if try Self.translatingSQL({ () throws(SQLiteError) in try tables.exist }) {
                let kept = try Self.exchange(in: tables, else: exchange.peer)
                exchange = Exchange(kept, rules: rules)
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
        try readRecords(tables, file)
        noteFold()
    }

    /// Goes on under a new id where the file is a copy, or was put back: else two would write under one.
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

    private mutating func readRecords(_ tables: ReplicaTables, _ file: StoreFile) throws(StoreError) {
        var registers: [Register] = []
        var rows: [(RecordID, RowAddress)] = []
        try KeptRecords(tables.connection).all { row throws(StoreError) in
            if let (entity, key) = row.row, let index = replica.model.entities[entity]?.index {
                rows.append((row.id, RowAddress(entity: index, key: key)))
            } else if row.row != nil {
                unreadable.insert(row.id)
            }
            if row.runs.isEmpty { return }
            if row.runs.count > 1 { cutRecords.insert(row.id) }
            do throws(ObjectFault) {
                var kept: [Register] = []
                for run in row.runs { kept += try RegisterContent.registers(in: run, from: .ownFile) }
                let part = StateDigest(kept)
                digests[row.id] = part
                digest.add(part)
                values.count(kept, of: row.id)
                registers += kept
            } catch {
                throw .damaged(path: file.path, detail: "the record \(row.id) for other machines: \(error)")
            }
        }
        replica = Replica(replica.model, of: registers)
        if keepsMembersAsPairs { isMigrated = true }
        for (name, row) in rows {
            if replica.graph.shows(name) {
                book.bind(name, to: row)
            } else {
                book.note(name, goneFrom: row)
            }
        }
        try ReplicaTables.translating { () throws(SQLiteError) in
            for (name, property) in try tables.wantedValues() { values.want(name, property) }
            values.owe(try KeptPieces(tables.connection).all())
        }
        book.didKeep()
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
                    && replica.state.cells[key.second]?[owner] == nil
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

extension KeptReplica {
    /// Writes what changed into the file: the registers of some records, and all else.
    mutating func keep(_ records: Set<RecordID>, on connection: SQLiteConnection) throws(StoreError) {
        let tables = ReplicaTables(connection: connection)
        try ReplicaTables.translating { () throws(SQLiteError) in try tables.make() }
        let prepared = takePrepared(but: records)
        for record in records.union(book.changed).union(prepared.records.keys) {
            let runs = if let packed = prepared.records[record] { packed } else { try runs(of: record) }
            let row = book.keptRow(of: record).map { (replica.model.entity(at: $0.entity).name, $0.key) }
            let wasCut = cutRecords.remove(record) != nil
            if runs.count > 1 { cutRecords.insert(record) }
            try ReplicaTables.translating { () throws(SQLiteError) in
                try KeptRecords(connection).keep(
                    KeptRecords.Row(id: record, row: row, runs: runs), insteadOfFurtherRuns: wasCut)
            }
        }
        book.didKeep()
        try ReplicaTables.translating { () throws(SQLiteError) in
            for name in values.changed { try tables.keep(wantedValues: values.wanted[name] ?? [], of: name) }
        }
        values.didKeep()
        try ReplicaTables.translating { () throws(SQLiteError) in
            try tables.keep(.folded, Int64(bitPattern: folded))
            if !isMigrated, !isModelKept { try tables.keep(.model, content.bytes) }
            if let place, place != keptPlace { try tables.keep(.place, place.bytes) }
        }
        keptPlace = place
        if !isMigrated { isModelKept = true }
        try keepExchange(in: tables, packed: prepared.logs)
    }

    /// The registers that are kept with a record, packed, in runs that can be read again.
    func runs(of record: RecordID) throws(StoreError) -> [[UInt8]] {
        let registers = replica.state.registers(keptWith: record)
        do throws(ObjectFault) {
            return try RegisterRuns.cut(registers, byteCount: exchange.rules.runByteCount)
                .map { (run) throws(ObjectFault) in try RegisterContent.bytes(of: run) }
        } catch {
            throw .tooLarge("the changes of one object for other machines")
        }
    }

    /// Counts registers that changed into the digests.
    mutating func count(_ records: Set<RecordID>) {
        for record in records {
            if let former = digests.removeValue(forKey: record) { digest.subtract(former) }
            let registers = replica.state.registers(keptWith: record)
            values.count(registers, of: record)
            if registers.isEmpty { continue }
            let part = StateDigest(registers)
            digests[record] = part
            digest.add(part)
        }
    }

    /// How many registers there are, about.
    var registerCount: Int { Limits.registersOfRecord * digests.count }

    /// Whether the file says otherwise of the exchange.
    var isExchangeChanged: Bool { keptExchange != ExchangeMark(exchange.kept) }

    /// Writes what changed of the exchange; `packed` has the bytes of logs that are at hand.
    private mutating func keepExchange(
        in tables: ReplicaTables, packed: [ObjectName: [UInt8]]
    ) throws(StoreError) {
        let kept = exchange.kept
        let mark = ExchangeMark(kept)
        if mark == keptExchange { return }
        let vector: [UInt8]
        let knowledge: [UInt8]
        var baselines: [KeptBaselines.Row]?
        var added: [(ObjectName, [UInt8])] = []
        do throws(ObjectFault) {
            vector = try kept.vector.bytes()
            let known = Set(keptExchange?.outbox ?? [])
            for log in kept.outbox where !known.contains(log.name) {
                let bytes = if let bytes = packed[log.name] { bytes } else { try log.object().packed().bytes }
                added.append((log.name, bytes))
            }
            // They name all that they stand for.
            if mark.baselines != keptExchange?.baselines ?? [] {
                baselines = try kept.baselines.map { (baseline) throws(ObjectFault) in try .init(baseline) }
            }
            knowledge = try kept.knowledge.bytes()
        } catch {
            throw .tooLarge("what is kept for other machines: \(error)")
        }
        let gone = Set(keptExchange?.outbox ?? []).subtracting(mark.outbox)
        let isSamePeer = keptExchange?.peer == kept.peer
        let first = isSamePeer ? keptExchange?.foldCount ?? 0 : 0
        try ReplicaTables.translating { () throws(SQLiteError) in
            try tables.keep(.peer, Int64(bitPattern: kept.peer.number))
            try tables.keep(.lastBaseline, Int64(bitPattern: kept.lastBaseline))
            try tables.keep(.vector, vector)
            if !isSamePeer { try tables.forgetHashes() }
            try tables.keep(kept.hashes[min(first, kept.hashes.count)...], from: first + 1)
            for (name, bytes) in added { try tables.keepLog(name, bytes) }
            for name in gone { try tables.keepLog(name, nil) }
            if mark.knowledge != keptExchange?.knowledge ?? [:] { try tables.keep(.knowledge, knowledge) }
            try tables.keep(.hasNews, mark.hasNews ? 1 : 0)
            try tables.keep(.gapSince, mark.gapSince?.microseconds ?? 0)
            try tables.keep(.checkedAt, mark.checkedAt?.microseconds ?? 0)
            if let clock = mark.clock {
                try tables.keep(.seenTime, clock.time.microseconds)
                try tables.keep(.seenWall, clock.wall.microseconds)
            }
            try KeptObjects(tables.connection).keep(mark.objects, insteadOf: keptExchange?.objects)
            try tables.keep(.formerPeers, kept.formerPeers.sorted().flatMap(\.bytes))
            if let baselines { try KeptBaselines(tables.connection).keep(baselines) }
        }
        keptExchange = mark
    }
}

extension State {
    /// The registers that are kept with a record, in no order.
    func registers(keptWith record: RecordID) -> [Register] {
        var registers: [Register] = []
        if let life = lives[record] { registers.append(.life(record, life)) }
        for (property, cell) in cells[record] ?? [:] { registers.append(.cell(record, property, cell)) }
        for key in pairs(of: record) where key.first == record {
            if let pair = pairs[key] { registers.append(.pair(key, pair)) }
        }
        for key in places(of: record) where key.owner == record {
            if let place = places[key] { registers.append(.place(key, place)) }
        }
        for other in sames(of: record) where record < other {
            let key = SameKey(record, other)
            if let stamp = sames[key] { registers.append(.same(key, stamp)) }
        }
        return registers
    }
}
