import CofferMerge
import CofferSimulation
import TestSupport
import Testing

@Suite struct `A replica over a base` {
    @Test(arguments: Seed.several(12))
    func `is at each step what one in memory is`(seed: Seed) {
        var random = RandomRegisters(seed)
        var draw = seed.generator()
        for _ in 0..<25 {
            var base = KeptRegisters()
            var whole = Replica(MergeWorld.model)
            var based = Replica(MergeWorld.model, over: base)
            var changed: Set<RegisterKey> = []
            for _ in 0..<25 {
                let registers = random.registers(Int.random(in: 1...6, using: &draw))
                let (one, other) = (
                    whole.joinTellingRegisters(registers), based.joinTellingRegisters(registers)
                )
                #expect(one.rows == other.rows && one.changed.keys == other.changed.keys)
                #expect(one.changed.former == other.changed.former)
                #expect(whole.graph.seen == based.graph.seen)
                #expect(whole.graph.objectCount == based.graph.objectCount)
                #expect(whole.graph.violationCount == based.graph.violationCount)
                changed.formUnion(other.changed.keys)
                guard Bool.random(using: &draw) else { continue }
                base = base.keeping(changed, of: based)
                changed = []
                based = Replica(MergeWorld.model, over: base)
                #expect(whole.state == based.state)
                #expect(whole.graph.seen == based.graph.seen)
            }
        }
    }
}
