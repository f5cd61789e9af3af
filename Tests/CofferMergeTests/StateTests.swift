import CofferMerge
import CofferModel
import TestSupport
import Testing

@Suite struct `A state` {
    /// Three that share keys and stamps.
    private func states(_ seed: Seed) -> [State] {
        var random = RandomRegisters(seed)
        random.stamps = 4
        random.width = 2
        return (0..<3).map { _ in random.state(60) }
    }

    @Test(arguments: Seed.several(200))
    func `joins another in whatever order and however often`(seed: Seed) {
        let states = states(seed)
        var left = states[0]
        left.join(states[1])
        var right = states[1]
        right.join(states[0])
        #expect(left == right, "commutative")
        var again = left
        #expect(again.join(states[1]).isEmpty && again.join(left).isEmpty && again == left, "idempotent")
        left.join(states[2])
        var later = states[1]
        later.join(states[2])
        var first = states[0]
        first.join(later)
        #expect(left == first, "associative")
    }

    @Test(arguments: Seed.several(200))
    func `does not depend on the order in which its registers came`(seed: Seed) {
        var random = RandomRegisters(seed)
        random.stamps = 3
        random.width = 2
        let registers = random.registers(120)
        let state = State(registers)
        #expect(State(registers.shuffled(using: &random.generator)) == state)
        #expect(State(state.registers) == state)
    }

    @Test(arguments: Seed.several(100))
    func `tells which registers changed or went`(seed: Seed) {
        let states = states(seed)
        var joined = states[0]
        let changed = joined.join(states[1])
        let before = Dictionary(uniqueKeysWithValues: states[0].registers.map { ($0.key, $0) })
        let after = Dictionary(uniqueKeysWithValues: joined.registers.map { ($0.key, $0) })
        let keys = Set(before.keys).union(after.keys)
        let differing = keys.filter { before[$0] != after[$0] }
        #expect(differing.isSubset(of: changed))
        // What came and went again within one join may be told, too.
        #expect(changed.subtracting(differing).allSatisfy { before[$0] == nil && after[$0] == nil })
    }

    @Test func `keeps of a buried record its life and what it is the same as`() throws {
        let one = MergeWorld.record(2)
        let other = MergeWorld.record(8)
        let tag = MergeWorld.record(5)
        let stamp = { Stamp($0, peer: PeerID(1), fold: 1) }
        let pair = try #require(MergeWorld.model.entities["Item"]?.pairs["tags"]).pair(one, tag)
        var state = State([
            .life(one, Stamped(Life("Item", .dead(Death())), stamp(5))),
            .cell(one, "name", Stamped(Cell(.value(.string("a"))), stamp(4))),
            .pair(pair, Stamped(true, stamp(4))), .same(SameKey(one, other), stamp(4)),
            .place(
                PlaceKey(RelationshipName("Item", "tags"), owner: one, member: tag),
                Stamped(Place([1]), stamp(4))),
        ])
        let burial = Register.life(one, Stamped(Life("Item", .buried(cascaded: [])), stamp(5)))
        let keys = state.join(burial)
        #expect(keys.count == 4)
        #expect(state == State([burial, .same(SameKey(one, other), stamp(4))]))
        let late: [Register] = [
            .life(one, Stamped(Life("Item", .alive), stamp(9))),
            .cell(one, "name", Stamped(Cell(.null), stamp(9))), .pair(pair, Stamped(true, stamp(9))),
        ]
        #expect(state.join(State(late.dropFirst())).isEmpty)
        #expect(state.join(State(late)).isEmpty && state.pairs(of: tag).isEmpty)
    }

    @Test func `keeps of equal stamps what is alive, in and no null`() {
        let stamp = Stamp(1, peer: PeerID(1), fold: 1)
        let alive = Stamped(Life("Item", .alive), stamp)
        let dead = Stamped(Life("Item", .dead(Death(through: "folder"))), stamp)
        #expect(alive.isGreater(than: dead) && !dead.isGreater(than: alive))
        #expect(Stamped(true, stamp).isGreater(than: Stamped(false, stamp)))
        let values: [Cell.Content] = [
            .value(.integer(0)), .value(.string("")), .record(MergeWorld.record(0)),
        ]
        for value in values {
            #expect(Stamped(Cell(value), stamp).isGreater(than: Stamped(Cell(.null), stamp)))
        }
    }

    @Test func `has no stamps past the year 9999`() {
        #expect(Stamp(253_402_300_799_999_999, peer: PeerID(1), fold: 1).isWellFormed)
        #expect(!Stamp(253_402_300_800_000_000, peer: PeerID(1), fold: 1).isWellFormed)
        #expect(!Stamp(-1, peer: PeerID(1), fold: 1).isWellFormed)
    }
}
