internal import CofferMerge
internal import CofferModel
internal import CofferWire

/// Makes registers of columns, which anybody may have written.
struct RegisterColumnReader {
    private let message: ContainerRegistersMessage
    private let source: ContentSource
    private let records: [RecordID]
    private let stamps: [Stamp]
    private let relationships: [RelationshipName]

    /// The registers in `message`.
    ///
    /// - Throws: `ObjectFault.malformed`, naming the column; then none is to be taken.
    static func registers(
        of message: ContainerRegistersMessage, from source: ContentSource
    ) throws(ObjectFault) -> [Register] {
        // Before any is made.
        let count = count(of: message)
        try check(count, from: source, "cell_records")
        try check(
            message.deaths.reduce(0) { $0 + $1.cascaded.count + $1.denied.count }, from: source, "deaths")
        let reader = try RegisterColumnReader(message, from: source)
        var registers: [Register] = []
        registers.reserveCapacity(count)
        try reader.readLives(into: &registers)
        try reader.readCells(into: &registers)
        try reader.readPairs(into: &registers)
        try reader.readPlaces(into: &registers)
        try reader.readSames(into: &registers)
        return registers
    }

    /// How many there are in `message`.
    static func count(of message: ContainerRegistersMessage) -> Int {
        message.lifeRecords.count + message.cellRecords.count + message.pairFirsts.count
            + message.placeOwners.count + message.sameFirsts.count
    }

    private init(_ message: ContainerRegistersMessage, from source: ContentSource) throws(ObjectFault) {
        (self.message, self.source) = (message, source)
        if message.names.contains(where: \.isEmpty) { throw Self.malformed("names", "one is empty") }
        records = try Self.records(of: message)
        stamps = try Self.stamps(of: message)
        let (entities, properties) = (message.relationshipEntities, message.relationshipProperties)
        try Self.check([entities.count, properties.count], "relationship_properties")
        var relationships: [RelationshipName] = []
        for index in entities.indices {
            relationships.append(
                RelationshipName(
                    try Self.element(entities[index], of: message.names, "relationship_entities"),
                    try Self.element(properties[index], of: message.names, "relationship_properties")))
        }
        self.relationships = relationships
    }

    private static func records(of message: ContainerRegistersMessage) throws(ObjectFault) -> [RecordID] {
        try check([message.recordHighs.count, message.recordLows.count], "record_lows")
        var records: [RecordID] = []
        records.reserveCapacity(message.recordHighs.count)
        var (high, low): (UInt64, UInt64) = (0, 0)
        for index in message.recordHighs.indices {
            high &+= message.recordHighs[index]
            low &+= message.recordLows[index]
            records.append(RecordID(high: high, low: low))
        }
        return records
    }

    private static func stamps(of message: ContainerRegistersMessage) throws(ObjectFault) -> [Stamp] {
        let count = message.stampTimes.count
        try check([count, message.stampPeers.count], "stamp_peers")
        try check([count, message.stampFolds.count], "stamp_folds")
        var stamps: [Stamp] = []
        stamps.reserveCapacity(count)
        var time: UInt64 = 0
        for index in 0..<count {
            let (next, isPast) = time.addingReportingOverflow(message.stampTimes[index])
            let peer = try element(message.stampPeers[index], of: message.peers, "stamp_peers")
            guard !isPast, let microseconds = Int64(exactly: next) else {
                throw malformed("stamp_times", "past the year 9999")
            }
            let stamp = Stamp(microseconds, peer: PeerID(peer), fold: message.stampFolds[index])
            guard stamp.isWellFormed else { throw malformed("stamp_times", "past the year 9999") }
            stamps.append(stamp)
            time = next
        }
        return stamps
    }

    private func readLives(into registers: inout [Register]) throws(ObjectFault) {
        let count = message.lifeRecords.count
        try Self.check([count, message.lifeEntities.count], "life_entities")
        try Self.check([count, message.lifeStamps.count], "life_stamps")
        try Self.check([count, message.lifeKinds.count], "life_kinds")
        var deaths = message.lifeDeaths.makeIterator()
        let known = try message.deaths.map { (death) throws(ObjectFault) in try self.death(death) }
        var record: UInt32 = 0
        for index in 0..<count {
            record = try Self.next(after: record, message.lifeRecords[index], "life_records")
            let entity = try Self.element(message.lifeEntities[index], of: message.names, "life_entities")
            guard let kind = LifeKind(rawValue: message.lifeKinds[index]) else {
                throw Self.malformed("life_kinds", "\(message.lifeKinds[index]) is unknown")
            }
            let condition: Life.Condition
            if kind == .alive {
                condition = .alive
            } else {
                guard let place = deaths.next() else { throw Self.malformed("life_deaths", "too few") }
                let death = try Self.element(place, of: known, "life_deaths")
                condition = kind == .dead ? .dead(death) : .buried(cascaded: death.cascaded)
            }
            registers.append(
                .life(
                    try Self.element(record, of: records, "life_records"),
                    Stamped(Life(entity, condition), try stamp(message.lifeStamps[index], "life_stamps"))))
        }
        if deaths.next() != nil { throw Self.malformed("life_deaths", "too many") }
    }

    private func death(_ death: ContainerDeathMessage) throws(ObjectFault) -> Death {
        var through: String?
        if death.through > 0 {
            through = try Self.element(death.through - 1, of: message.names, "deaths.through")
        }
        return Death(
            through: through,
            cascaded: try death.cascaded.map { (place) throws(ObjectFault) in
                try Self.element(place, of: message.names, "deaths.cascaded")
            },
            denied: try death.denied.map { (place) throws(ObjectFault) in
                try Self.element(place, of: message.names, "deaths.denied")
            })
    }

    private func readCells(into registers: inout [Register]) throws(ObjectFault) {
        let count = message.cellRecords.count
        try Self.check([count, message.cellProperties.count], "cell_properties")
        try Self.check([count, message.cellStamps.count], "cell_stamps")
        try Self.check([count, message.cellKinds.count], "cell_kinds")
        var values = message.cellValues.makeIterator()
        var largeValues = message.cellLargeValues.makeIterator()
        var targets = message.cellTargets.makeIterator()
        var record: UInt32 = 0
        for index in 0..<count {
            record = try Self.next(after: record, message.cellRecords[index], "cell_records")
            let byte = message.cellKinds[index]
            let content: Cell.Content
            switch CellKind(rawValue: byte & ~CellKind.defaulted) {
            case .null: content = .null
            case .value:
                guard let value = values.next() else { throw Self.malformed("cell_values", "too few") }
                content = .value(try Self.checked(value))
            case .record:
                guard let target = targets.next() else { throw Self.malformed("cell_targets", "too few") }
                content = .record(try Self.element(target, of: records, "cell_targets"))
            case .large:
                guard let value = largeValues.next() else {
                    throw Self.malformed("cell_large_values", "too few")
                }
                content = .large(try Self.checked(value))
            case nil: throw Self.malformed("cell_kinds", "\(byte) is unknown")
            }
            registers.append(
                .cell(
                    try Self.element(record, of: records, "cell_records"),
                    try Self.element(message.cellProperties[index], of: message.names, "cell_properties"),
                    Stamped(
                        Cell(content, isDefaulted: byte & CellKind.defaulted != 0),
                        try stamp(message.cellStamps[index], "cell_stamps"))))
        }
        if values.next() != nil { throw Self.malformed("cell_values", "too many") }
        if largeValues.next() != nil { throw Self.malformed("cell_large_values", "too many") }
        if targets.next() != nil { throw Self.malformed("cell_targets", "too many") }
    }

    /// As many pieces are named as its bytes make.
    private static func checked(_ value: ContainerLargeValueMessage) throws(ObjectFault) -> LargeValue {
        let column: StaticString = "cell_large_values"
        guard let kind = UInt8(exactly: value.kind).flatMap(LargeValue.Kind.init) else {
            throw malformed(column, "kind \(value.kind) is unknown")
        }
        guard (1...UInt64(Limits.valueByteCount)).contains(value.byteCount) else {
            throw malformed(column, "\(value.byteCount) bytes, and \(Limits.valueByteCount) are the most")
        }
        let large = LargeValue(kind, byteCount: value.byteCount, hashes: value.hashes)
        guard value.hashes.count == large.pieceCount * ObjectHash.byteCount else {
            throw malformed(column, "\(value.hashes.count) bytes name \(large.pieceCount) pieces")
        }
        return large
    }

    /// A cell holds neither null, for which it has a kind, nor an object of one machine's store.
    private static func checked(_ value: AttributeValue) throws(ObjectFault) -> AttributeValue {
        switch value {
        case .null: throw malformed("cell_values", "null")
        case .object: throw malformed("cell_values", "an object")
        default: return value
        }
    }

    private func readPairs(into registers: inout [Register]) throws(ObjectFault) {
        let count = message.pairRelationships.count
        try Self.check([count, message.pairFirsts.count], "pair_firsts")
        try Self.check([count, message.pairSeconds.count], "pair_seconds")
        try Self.check([count, message.pairStamps.count], "pair_stamps")
        try Self.check([count, message.pairIns.count], "pair_ins")
        for index in 0..<count {
            guard message.pairIns[index] <= 1 else {
                throw Self.malformed("pair_ins", "\(message.pairIns[index]) is unknown")
            }
            let key = PairKey(
                try Self.element(message.pairRelationships[index], of: relationships, "pair_relationships"),
                first: try Self.element(message.pairFirsts[index], of: records, "pair_firsts"),
                second: try Self.element(message.pairSeconds[index], of: records, "pair_seconds"))
            let stamp = try stamp(message.pairStamps[index], "pair_stamps")
            registers.append(.pair(key, Stamped(message.pairIns[index] == 1, stamp)))
        }
    }

    private func readPlaces(into registers: inout [Register]) throws(ObjectFault) {
        let count = message.placeRelationships.count
        try Self.check([count, message.placeOwners.count], "place_owners")
        try Self.check([count, message.placeMembers.count], "place_members")
        try Self.check([count, message.placeStamps.count], "place_stamps")
        try Self.check([count, message.placeLengths.count], "place_lengths")
        var rest = message.placeData[...]
        for index in 0..<count {
            let length = Int(message.placeLengths[index])
            guard source == .ownFile || length <= Limits.placeByteCount, length <= rest.count else {
                throw Self.malformed("place_lengths", "\(length) bytes of \(rest.count)")
            }
            let key = PlaceKey(
                try Self.element(message.placeRelationships[index], of: relationships, "place_relationships"),
                owner: try Self.element(message.placeOwners[index], of: records, "place_owners"),
                member: try Self.element(message.placeMembers[index], of: records, "place_members"))
            let stamp = try stamp(message.placeStamps[index], "place_stamps")
            registers.append(.place(key, Stamped(Place(Array(rest.prefix(length))), stamp)))
            rest = rest.dropFirst(length)
        }
        if !rest.isEmpty { throw Self.malformed("place_data", "\(rest.count) bytes too many") }
    }

    private func readSames(into registers: inout [Register]) throws(ObjectFault) {
        let count = message.sameFirsts.count
        try Self.check([count, message.sameSeconds.count], "same_seconds")
        try Self.check([count, message.sameStamps.count], "same_stamps")
        for index in 0..<count {
            let first = try Self.element(message.sameFirsts[index], of: records, "same_firsts")
            let second = try Self.element(message.sameSeconds[index], of: records, "same_seconds")
            guard first < second else { throw Self.malformed("same_seconds", "not the greater one") }
            registers.append(
                .same(SameKey(first, second), try stamp(message.sameStamps[index], "same_stamps")))
        }
    }
}

extension RegisterColumnReader {
    private func stamp(_ place: UInt32, _ column: StaticString) throws(ObjectFault) -> Stamp {
        try Self.element(place, of: stamps, column)
    }

    private static func element<Element>(
        _ place: UInt32, of elements: [Element], _ column: StaticString
    ) throws(ObjectFault) -> Element {
        guard Int(place) < elements.count else {
            throw malformed(column, "place \(place) of \(elements.count)")
        }
        return elements[Int(place)]
    }

    /// The place that is written as what it has more than the one before.
    private static func next(
        after last: UInt32, _ step: UInt32, _ column: StaticString
    ) throws(ObjectFault) -> UInt32 {
        let (place, isPast) = last.addingReportingOverflow(step)
        if isPast { throw malformed(column, "past the last place") }
        return place
    }

    private static func check(
        _ count: Int, from source: ContentSource, _ column: StaticString
    ) throws(ObjectFault) {
        if source == .ownFile || count <= Limits.registersOfObject { return }
        throw malformed(column, "\(count) in all, and \(Limits.registersOfObject) are the most")
    }

    private static func check(_ counts: [Int], _ column: StaticString) throws(ObjectFault) {
        guard counts[0] == counts[1] else { throw malformed(column, "\(counts[1]) instead of \(counts[0])") }
    }

    private static func malformed(_ column: StaticString, _ reason: String) -> ObjectFault {
        .malformed(reason: "coffer.v1.ContainerRegisters.\(column): \(reason)")
    }
}
