internal import CofferContainer
internal import CofferMerge
internal import CofferSQLite
internal import CofferStores

extension KeptReplica {
    /// Writes what changed into the file: the registers of some records, and all else.
    mutating func keep(_ records: Set<RecordID>, on connection: SQLiteConnection) throws(StoreError) {
        try lookedUp?.check()
        let tables = ReplicaTables(connection: connection)
        try ReplicaTables.translating { () throws(SQLiteError) in try tables.make() }
        let prepared = takePrepared(but: records)
        let changed = records.union(book.changed).union(prepared.records.keys)
        try keep(changed, packed: prepared.records, on: connection)
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
        let kept = exchange.kept
        try keep(kept, in: tables)
        try keepDigest(of: kept, in: tables)
        // What could not be looked up was taken for nothing.
        try lookedUp?.check()
        isKept = true
    }

    /// Registers that are kept with one record, packed, in runs that can be read again.
    func runs(of registers: [Register]) throws(StoreError) -> [[UInt8]] {
        do throws(ObjectFault) {
            return try RegisterRuns.cut(registers, byteCount: exchange.rules.runByteCount)
                .map { (run) throws(ObjectFault) in try RegisterContent.bytes(of: run) }
        } catch {
            throw .tooLarge("the changes of one object for other machines")
        }
    }

    /// Counts registers that changed into the digest; tells the records with which they are kept.
    mutating func count(_ changed: ChangedRegisters) -> Set<RecordID> {
        count(changed.keys, insteadOf: changed.former)
        return Set(changed.keys.map(\.home))
    }

    /// Counts registers of some keys, of which some stood there before.
    mutating func count(
        _ keys: some Sequence<RegisterKey>, insteadOf former: [RegisterKey: Register]
    ) {
        var records: Set<RecordID> = []
        for key in keys {
            if let old = former[key] { digest.subtract(old) }
            if let now = replica.registers.register(of: key) { digest.add(now) }
            if case .cell(let record, _) = key { records.insert(record) }
        }
        for record in records { values.count(replica.registers.cells(of: record), of: record) }
    }

    /// How many registers there are, about.
    var registerCount: Int { Limits.registersOfRecord * replica.graph.objectCount }

    /// Whether the file says otherwise of the exchange.
    var isExchangeChanged: Bool { keptExchange != ExchangeMark(exchange.kept) }

    private mutating func keepDigest(
        of exchange: KeptExchange, in tables: ReplicaTables
    ) throws(StoreError) {
        let bytes: [UInt8]
        do throws(ObjectFault) {
            bytes = try KeptDigest(digest).bytes(of: exchange)
        } catch {
            throw .tooLarge("what is kept for other machines: \(error)")
        }
        if bytes != keptDigest {
            try ReplicaTables.translating { () throws(SQLiteError) in try tables.keep(.digest, bytes) }
            keptDigest = bytes
        }
        let mark = derivedMark
        if owesDerived || mark == keptDerived { return }
        try ReplicaTables.translating { () throws(SQLiteError) in try tables.keep(.derived, mark) }
        keptDerived = mark
    }

    /// Writes what changed of the exchange.
    private mutating func keep(_ kept: KeptExchange, in tables: ReplicaTables) throws(StoreError) {
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
                added.append((log.name, log.bytes))
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
