internal import CofferMerge
internal import CofferModel
internal import CofferWire

/// Puts registers into columns, always the same for the same registers.
struct RegisterColumnWriter {
    private let names: DictionaryColumn<String>
    private let peers: DictionaryColumn<PeerID>
    private let records: DictionaryColumn<RecordID>
    private let stamps: DictionaryColumn<Stamp>
    private let relationships: DictionaryColumn<RelationshipName>
    private var deaths: [Death: UInt32] = [:]
    private var message = ContainerRegistersMessage()

    /// The columns of registers, of which no two are of one key.
    static func message(of registers: [Register]) -> ContainerRegistersMessage {
        var writer = RegisterColumnWriter(registers)
        writer.writeDictionaries()
        writer.writeLives(registers)
        writer.writeCells(registers)
        writer.writePairs(registers)
        writer.writePlaces(registers)
        writer.writeSames(registers)
        return writer.message
    }

    private init(_ registers: [Register]) {
        var parts = RegisterParts()
        for register in registers { parts.collect(register) }
        names = DictionaryColumn(parts.names)
        peers = DictionaryColumn(Set(parts.stamps.lazy.map(\.peer)))
        records = DictionaryColumn(parts.records)
        stamps = DictionaryColumn(parts.stamps)
        relationships = DictionaryColumn(parts.relationships)
    }

    private mutating func writeDictionaries() {
        message.names = names.elements
        message.peers = peers.elements.map(\.number)
        var record = RecordID(high: 0, low: 0)
        for next in records.elements {
            message.recordHighs.append(next.high &- record.high)
            message.recordLows.append(next.low &- record.low)
            record = next
        }
        var time: Int64 = 0
        for stamp in stamps.elements {
            message.stampTimes.append(UInt64(bitPattern: stamp.microseconds &- time))
            message.stampPeers.append(peers.place(of: stamp.peer))
            message.stampFolds.append(stamp.fold)
            time = stamp.microseconds
        }
        for relationship in relationships.elements {
            message.relationshipEntities.append(names.place(of: relationship.entity))
            message.relationshipProperties.append(names.place(of: relationship.property))
        }
    }

    private mutating func writeLives(_ registers: [Register]) {
        var rows: [(record: UInt32, life: Stamped<Life>)] = []
        for case .life(let record, let life) in registers { rows.append((records.place(of: record), life)) }
        var last: UInt32 = 0
        for (record, life) in rows.sorted(by: { $0.record < $1.record }) {
            message.lifeRecords.append(record - last)
            last = record
            message.lifeEntities.append(names.place(of: life.value.entity))
            message.lifeStamps.append(stamps.place(of: life.stamp))
            switch life.value.condition {
            case .alive: message.lifeKinds.append(LifeKind.alive.rawValue)
            case .dead(let death): write(death, .dead)
            case .buried(let cascaded): write(Death(cascaded: cascaded), .buried)
            }
        }
    }

    private mutating func write(_ death: Death, _ kind: LifeKind) {
        message.lifeKinds.append(kind.rawValue)
        let place = deaths[death] ?? UInt32(message.deaths.count)
        if deaths.updateValue(place, forKey: death) == nil {
            message.deaths.append(
                ContainerDeathMessage(
                    through: death.through.map { names.place(of: $0) + 1 } ?? 0,
                    cascaded: death.cascaded.map { names.place(of: $0) },
                    denied: death.denied.map { names.place(of: $0) }))
        }
        message.lifeDeaths.append(place)
    }

    private mutating func writeCells(_ registers: [Register]) {
        var rows: [(key: (record: UInt32, property: UInt32), cell: Stamped<Cell>)] = []
        for case .cell(let record, let property, let cell) in registers {
            rows.append(((records.place(of: record), names.place(of: property)), cell))
        }
        var last: UInt32 = 0
        for (key, cell) in rows.sorted(by: { $0.key < $1.key }) {
            message.cellRecords.append(key.record - last)
            last = key.record
            message.cellProperties.append(key.property)
            message.cellStamps.append(stamps.place(of: cell.stamp))
            var kind = CellKind.null.rawValue
            switch cell.value.content {
            case .null: break
            case .value(let value):
                kind = CellKind.value.rawValue
                message.cellValues.append(value)
            case .large(let value):
                kind = CellKind.large.rawValue
                message.cellLargeValues.append(
                    ContainerLargeValueMessage(
                        kind: UInt32(value.kind.rawValue), byteCount: value.byteCount, hashes: value.hashes))
            case .record(let target):
                kind = CellKind.record.rawValue
                message.cellTargets.append(records.place(of: target))
            }
            message.cellKinds.append(cell.value.isDefaulted ? kind | CellKind.defaulted : kind)
        }
    }

    private mutating func writePairs(_ registers: [Register]) {
        var rows: [(key: (UInt32, UInt32, UInt32), pair: Stamped<Bool>)] = []
        for case .pair(let key, let pair) in registers {
            rows.append(
                (places(of: key.relationship, key.first, with: key.second), pair))
        }
        for (key, pair) in rows.sorted(by: { $0.key < $1.key }) {
            message.pairRelationships.append(key.0)
            message.pairFirsts.append(key.1)
            message.pairSeconds.append(key.2)
            message.pairStamps.append(stamps.place(of: pair.stamp))
            message.pairIns.append(pair.value ? 1 : 0)
        }
    }

    private mutating func writePlaces(_ registers: [Register]) {
        var rows: [(key: (UInt32, UInt32, UInt32), place: Stamped<Place>)] = []
        for case .place(let key, let place) in registers {
            rows.append((places(of: key.relationship, key.owner, with: key.member), place))
        }
        for (key, place) in rows.sorted(by: { $0.key < $1.key }) {
            message.placeRelationships.append(key.0)
            message.placeOwners.append(key.1)
            message.placeMembers.append(key.2)
            message.placeStamps.append(stamps.place(of: place.stamp))
            message.placeLengths.append(UInt32(place.value.bytes.count))
            message.placeData += place.value.bytes
        }
    }

    private mutating func writeSames(_ registers: [Register]) {
        var rows: [(key: (UInt32, UInt32), stamp: Stamp)] = []
        for case .same(let key, let stamp) in registers {
            rows.append(((records.place(of: key.first), records.place(of: key.second)), stamp))
        }
        for (key, stamp) in rows.sorted(by: { $0.key < $1.key }) {
            message.sameFirsts.append(key.0)
            message.sameSeconds.append(key.1)
            message.sameStamps.append(stamps.place(of: stamp))
        }
    }

    private func places(
        of relationship: RelationshipName, _ first: RecordID, with second: RecordID
    ) -> (UInt32, UInt32, UInt32) {
        (relationships.place(of: relationship), records.place(of: first), records.place(of: second))
    }
}

/// What a life's byte says.
enum LifeKind: UInt8 {
    case alive = 0
    case dead = 1
    case buried = 2
}

/// What a cell's byte says, besides `defaulted`.
enum CellKind: UInt8 {
    case null = 0
    case value = 1
    case record = 2
    case large = 3

    /// The bit of what was set at birth by default.
    static let defaulted: UInt8 = 4
}

/// What registers are made of.
private struct RegisterParts {
    var names: Set<String> = []
    var records: Set<RecordID> = []
    var stamps: Set<Stamp> = []
    var relationships: Set<RelationshipName> = []

    mutating func collect(_ register: Register) {
        switch register {
        case .life(let record, let life):
            records.insert(record)
            stamps.insert(life.stamp)
            names.insert(life.value.entity)
            names.formUnion(life.value.cascaded ?? [])
            if case .dead(let death) = life.value.condition {
                names.formUnion(death.denied)
                if let through = death.through { names.insert(through) }
            }
        case .cell(let record, let property, let cell):
            records.insert(record)
            stamps.insert(cell.stamp)
            names.insert(property)
            if let target = cell.value.record { records.insert(target) }
        case .pair(let key, let pair):
            stamps.insert(pair.stamp)
            collect(key.relationship, key.first, with: key.second)
        case .place(let key, let place):
            stamps.insert(place.stamp)
            collect(key.relationship, key.owner, with: key.member)
        case .same(let key, let stamp):
            records.formUnion([key.first, key.second])
            stamps.insert(stamp)
        }
    }

    private mutating func collect(
        _ relationship: RelationshipName, _ first: RecordID, with second: RecordID
    ) {
        relationships.insert(relationship)
        names.formUnion([relationship.entity, relationship.property])
        records.formUnion([first, second])
    }
}
