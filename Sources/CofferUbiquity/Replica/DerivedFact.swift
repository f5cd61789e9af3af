internal import CofferMerge

/// One thing that was derived of a record, or of the object that it names: a row of `COFFER_FACT`.
enum DerivedFact: Hashable {
    case dead
    case violation([String], Violation.Kind)
    /// The keys of the object are in this bucket.
    case bucket(KeyIndex.Bucket)
    /// The keys of the object name this record.
    case keyNames(RecordID)
    case sealedCut(String)
    case seenCut(String)
    case seenAs(RecordID)
    /// A record of what is seen as one, and is several by registers.
    case merged(RecordID)
    case taken([String], isHidden: Bool)
    /// A record of the object whose keys are known.
    case keyed(RecordID)

    /// What a column has of it.
    enum Column: Hashable {
        case number(Int64)
        case bytes([UInt8])
    }

    /// Those that say a number.
    static let kindsOfNumbers: ClosedRange<Int64> = 1...2
    /// Kinds up to this one are looked for by what they say.
    static let lastOfIndex = 6

    /// Its number in the table, which stays for ever, and what it says.
    var columns: (kind: Int64, value: Column) {
        switch self {
        case .dead: (1, .number(0))
        case .bucket(let bucket): (2, .number(Int64(bitPattern: bucket.number)))
        case .keyNames(let record): (3, .bytes(record.bytes))
        case .violation(let properties, .missing): (4, .bytes(Self.bytes(of: properties)))
        case .violation(let properties, .keyTaken): (5, .bytes(Self.bytes(of: properties)))
        case .violation(let properties, .hidden): (6, .bytes(Self.bytes(of: properties)))
        case .sealedCut(let property): (7, .bytes(Array(property.utf8)))
        case .seenCut(let property): (8, .bytes(Array(property.utf8)))
        case .seenAs(let record): (9, .bytes(record.bytes))
        case .merged(let record): (10, .bytes(record.bytes))
        case .keyed(let record): (11, .bytes(record.bytes))
        case .taken(let properties, isHidden: false): (12, .bytes(Self.bytes(of: properties)))
        case .taken(let properties, isHidden: true): (13, .bytes(Self.bytes(of: properties)))
        }
    }

    /// The fact that these columns say; `nil` if they say nothing that is known.
    init?(kind: Int64, _ value: Column) {
        switch (kind, value) {
        case (1, .number(0)): self = .dead
        case (2, .number(let number)): self = .bucket(.init(number: UInt64(bitPattern: number)))
        case (7, .bytes(let bytes)): self = .sealedCut(String(decoding: bytes, as: UTF8.self))
        case (8, .bytes(let bytes)): self = .seenCut(String(decoding: bytes, as: UTF8.self))
        case (3, .bytes(let bytes)), (9...11, .bytes(let bytes)):
            guard let record = RecordID(bytes: bytes) else { return nil }
            switch kind {
            case 3: self = .keyNames(record)
            case 9: self = .seenAs(record)
            case 10: self = .merged(record)
            default: self = .keyed(record)
            }
        case (4...6, .bytes(let bytes)), (12...13, .bytes(let bytes)):
            guard let properties = Self.properties(in: bytes) else { return nil }
            switch kind {
            case 4: self = .violation(properties, .missing)
            case 5: self = .violation(properties, .keyTaken)
            case 6: self = .violation(properties, .hidden)
            default: self = .taken(properties, isHidden: kind == 13)
            }
        default: return nil
        }
    }

    /// Names of properties, each after its length in four bytes.
    private static func bytes(of properties: [String]) -> [UInt8] {
        properties.flatMap { property in
            let count = UInt32(clamping: property.utf8.count)
            return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32($0))) } + property.utf8
        }
    }

    private static func properties(in bytes: [UInt8]) -> [String]? {
        var properties: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 4 + count else { return nil }
            properties.append(String(decoding: rest.dropFirst(4).prefix(count), as: UTF8.self))
            rest = rest.dropFirst(4 + count)
        }
        return properties
    }
}

extension RecordFacts {
    /// What was derived of a record, one by one.
    var all: Set<DerivedFact> {
        var all: Set<DerivedFact> = isDead ? [.dead] : []
        all.formUnion(sealedCuts.map { .sealedCut($0) })
        all.formUnion(seenCuts.map { .seenCut($0) })
        if let seenAs { all.insert(.seenAs(seenAs)) }
        all.formUnion(merged?.map { .merged($0) } ?? [])
        all.formUnion(taken.map { .taken($0.properties, isHidden: $0.isHidden) })
        all.formUnion(violations.map { .violation($0.properties, $0.kind) })
        if let key {
            all.formUnion(key.records.map { .keyed($0) })
            all.formUnion(key.buckets.map { .bucket($0) })
            all.formUnion(key.named.map { .keyNames($0) })
        }
        return all
    }

    /// What was derived of a record.
    init(of record: RecordID, _ all: some Sequence<DerivedFact>) {
        self.init()
        var (merged, keyed): (Set<RecordID>, Set<RecordID>) = ([], [])
        var buckets: Set<KeyIndex.Bucket> = []
        var named: Set<RecordID> = []
        for fact in all {
            switch fact {
            case .dead: isDead = true
            case .violation(let properties, let kind):
                violations.insert(Violation(of: record, properties, kind))
            case .bucket(let bucket): buckets.insert(bucket)
            case .keyNames(let record): named.insert(record)
            case .sealedCut(let property): sealedCuts.insert(property)
            case .seenCut(let property): seenCuts.insert(property)
            case .seenAs(let record): seenAs = record
            case .merged(let record): merged.insert(record)
            case .taken(let properties, let isHidden):
                taken.insert(Uniqueness.Taken(properties: properties, isHidden: isHidden))
            case .keyed(let record): keyed.insert(record)
            }
        }
        self.merged = RecordGroup(merged)
        key = RecordGroup(keyed).map { records in
            var entry = KeyIndex.Entry(records: records)
            (entry.buckets, entry.named) = (buckets, named)
            return entry
        }
    }
}
