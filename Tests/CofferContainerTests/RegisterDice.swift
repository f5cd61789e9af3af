import CofferContainer
import CofferMerge
import CofferModel
import FoundationEssentials
import TestSupport

/// Draws registers of every kind, with everything that one can hold.
struct RegisterDice {
    var generator: SeededGenerator
    /// How many records there are.
    var width = 6
    /// Whose stamps are drawn, and of which fold.
    var peers = [PeerID(1), PeerID(2), PeerID(.max)]

    init(_ seed: Seed) { generator = seed.generator() }

    private static let names = ["Note", "title", "über", "folder", "tags", "x"]

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    mutating func name() -> String { Self.names[below(Self.names.count)] }

    private mutating func names() -> [String] { (0..<below(3)).map { _ in name() } }

    mutating func record() -> RecordID {
        let number = UInt64(below(width))
        // Some born one after the other, some far apart.
        return number % 2 == 0
            ? RecordID(high: 7, low: number) : RecordID(high: number &* 0x9E37_79B9_7F4A_7C15, low: ~number)
    }

    mutating func stamp() -> Stamp {
        Stamp(
            Int64(below(1_000)) * (below(9) == 0 ? 253_402_300_799_999 : 1), peer: peers[below(peers.count)],
            fold: UInt64(below(4)))
    }

    private mutating func relationship() -> RelationshipName { RelationshipName(name(), name()) }

    mutating func value() -> AttributeValue {
        switch below(10) {
        case 0: .integer(Int64(bitPattern: generator.next()))
        case 1: .boolean(below(2) == 0)
        case 2: .double(Double(below(1_000)) / 8 - 3)
        case 3: .float(Float(below(1_000)) / 8)
        case 4: .decimal(Decimal(below(1_000_000)) / 100)
        case 5: .string(String(repeating: "ä", count: below(20)))
        case 6: .date(Date(timeIntervalSinceReferenceDate: Double(below(1 << 30))))
        case 7: .binary(generator.bytes(below(30)))
        case 8: .uri("x:\(below(9))")
        default: .transformable(generator.bytes(below(9)))
        }
    }

    private mutating func content() -> Cell.Content {
        switch below(4) {
        case 0: .null
        case 1: .record(record())
        default: .value(value())
        }
    }

    private mutating func condition() -> Life.Condition {
        switch below(4) {
        case 0: .dead(Death(through: below(2) == 0 ? nil : name(), cascaded: names(), denied: names()))
        case 1 where below(3) == 0: .buried(cascaded: names().sorted())
        default: .alive
        }
    }

    mutating func register() -> Register {
        switch below(10) {
        case 0..<2: return .life(record(), Stamped(Life(name(), condition()), stamp()))
        case 2..<7:
            return .cell(record(), name(), Stamped(Cell(content(), isDefaulted: below(4) == 0), stamp()))
        case 7:
            let key = PairKey(relationship(), first: record(), second: record())
            return .pair(key, Stamped(below(2) == 0, stamp()))
        case 8:
            let key = PlaceKey(relationship(), owner: record(), member: record())
            return .place(key, Stamped(Place(generator.bytes(below(12))), stamp()))
        default:
            let (one, other) = (record(), record())
            guard one != other else { return register() }
            return .same(SameKey(one, other), stamp())
        }
    }

    /// So many registers, no two of one key.
    mutating func registers(_ count: Int) -> [Register] {
        State((0..<count).map { _ in register() }).registers
    }

    mutating func chain(first: UInt64, count: Int) -> ChainSegment? {
        var hash = ChainHash.start
        if first > 1 { hash = (try? hash.following(fold: 9, [register()])) ?? hash }
        let before = hash
        let hashes = (0..<count).map { index in
            hash = (try? hash.following(fold: first + UInt64(index), [register()])) ?? hash
            return hash
        }
        return ChainSegment(first: first, before: before, hashes: hashes)
    }

    mutating func vector() -> KnowledgeVector {
        var vector = KnowledgeVector()
        for _ in 0..<below(5) {
            var folds = FoldSet()
            for _ in 0...below(3) {
                let first = UInt64(below(40)) + 1
                folds.insert(first...first + UInt64(below(5)))
            }
            let chain = below(3) == 0 ? nil : chain(first: 1, count: 1)?.last
            vector.insert(folds, of: PeerID(UInt64(below(9))), chain: chain)
        }
        return vector
    }

    func hashes(_ count: Int) -> Set<ObjectHash> {
        Set((0..<count).map { ObjectHash(of: [UInt8(truncatingIfNeeded: $0)]) })
    }
}
