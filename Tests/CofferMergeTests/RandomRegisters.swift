import CofferMerge
import CofferModel
import TestSupport

/// Draws registers that peers might have written, and such that none would have.
struct RandomRegisters {
    var generator: SeededGenerator
    /// How many records of each entity there may be.
    var width = 3
    /// The entities that are drawn from.
    var entities = MergeWorld.names
    /// Stamps are drawn from so many, so that some are equal; or all differ.
    var stamps: Int64? = nil
    private var last: Int64 = 0

    init(_ seed: Seed) { generator = seed.generator() }

    private mutating func pick(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    private mutating func chance(_ percent: Int) -> Bool { pick(100) < percent }

    /// A record of an entity; of another now and then.
    private mutating func record(_ entity: String) -> RecordID {
        let names = MergeWorld.names
        let kind = chance(97) ? names.firstIndex(of: entity) ?? 0 : pick(names.count)
        return MergeWorld.record(pick(width) * names.count + kind)
    }

    private mutating func stamp() -> Stamp {
        if let stamps {
            return Stamp(Int64(pick(Int(stamps))), peer: PeerID(UInt64(pick(2))), fold: 0)
        }
        last += 1
        // Order in time is not order of drawing.
        return Stamp(Int64(pick(1_000)) * 1_000_000 + last, peer: PeerID(0), fold: 0)
    }

    mutating func state(_ count: Int) -> State { State(registers(count)) }

    mutating func registers(_ count: Int) -> [Register] { (0..<count).map { _ in register() } }

    mutating func register() -> Register {
        let entity = entities[pick(entities.count)]
        switch pick(20) {
        case 0..<5: return life(entity)
        case 5..<8: return attribute(entity)
        case 8..<14: return reference(entity)
        case 14..<16: return pair()
        case 16: return place()
        default:
            let one = record(entity)
            let other = MergeWorld.record(
                pick(width) * MergeWorld.names.count + Int(one.high) % MergeWorld.names.count)
            return one == other ? life(entity) : .same(SameKey(one, other), stamp())
        }
    }

    /// Always of the entity that its number says.
    private mutating func life(_ entity: String) -> Register {
        let kind = MergeWorld.names.firstIndex(of: entity) ?? 0
        let record = MergeWorld.record(pick(width) * MergeWorld.names.count + kind)
        return .life(record, Stamped(Life(entity, condition(entity)), stamp()))
    }

    private mutating func condition(_ entity: String) -> Life.Condition {
        guard let entity = MergeWorld.model.entities[entity], chance(55) else { return .alive }
        let cascaded = chance(90) ? entity.cascading : []
        if chance(6) { return .buried(cascaded: cascaded) }
        let through = entity.references.keys.sorted()
        return .dead(
            Death(
                through: through.isEmpty || chance(40) ? nil : through[pick(through.count)],
                cascaded: cascaded, denied: chance(80) ? entity.denying : []))
    }

    private mutating func attribute(_ entity: String) -> Register {
        let names = (MergeWorld.model.entities[entity]?.attributes.keys.sorted()) ?? []
        let name = names[pick(names.count)]
        let isDefaulted = chance(30)
        let initial = MergeWorld.model.entities[entity]?.attributes[name]?.defaultValue ?? .null
        let drawn: AttributeValue = chance(25) ? .null : .string(["a", "b", "c"][pick(3)])
        let value = isDefaulted ? initial : drawn
        if !isDefaulted, chance(10) {
            let large = LargeValue(
                .string, byteCount: 200_000, hashes: [UInt8](repeating: UInt8(pick(2)), count: 20))
            return .cell(record(entity), name, Stamped(Cell(.large(large)), stamp()))
        }
        return .cell(
            record(entity), name,
            Stamped(Cell(value.isNull ? .null : .value(value), isDefaulted: isDefaulted), stamp()))
    }

    private mutating func reference(_ entity: String) -> Register {
        let relationships = (MergeWorld.model.entities[entity]?.references ?? [:]).sorted { $0.key < $1.key }
        guard !relationships.isEmpty else { return life(entity) }
        let (name, relationship) = relationships[pick(relationships.count)]
        let target = MergeWorld.model.entities.values.filter { relationship.targets.contains($0.index) }
            .map(\.name).sorted()
        let content: Cell.Content = chance(15) ? .null : .record(record(target[pick(target.count)]))
        return .cell(
            record(entity), name,
            Stamped(Cell(content, isDefaulted: content == .null && chance(50)), stamp()))
    }

    private mutating func pair() -> Register {
        if chance(25) {
            let pair = MergeWorld.model.entities["Tag"]?.pairs["near"]?.pair(record("Tag"), record("Tag"))
            return pair.map { .pair($0, Stamped(chance(60), stamp())) } ?? life("Tag")
        }
        let pair = MergeWorld.model.entities["Item"]?.pairs["tags"]?.pair(record("Item"), record("Tag"))
        return pair.map { .pair($0, Stamped(chance(60), stamp())) } ?? life("Tag")
    }

    private mutating func place() -> Register {
        let isOfItem = chance(50)
        let relationship = isOfItem ? RelationshipName("Item", "tags") : RelationshipName("Folder", "items")
        let key = PlaceKey(
            relationship, owner: record(isOfItem ? "Item" : "Folder"),
            member: record(isOfItem ? "Tag" : "Item"))
        return .place(key, Stamped(Place([UInt8(pick(3))]), stamp()))
    }
}
