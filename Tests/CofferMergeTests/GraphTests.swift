import CofferMerge
import MergeReference
import TestSupport
import Testing

@Suite struct `The graph, kept up to date` {
    /// Joins states of any density register by register or in heaps, and compares after each step.
    private func check(_ seed: Seed, stamps: Int64?) {
        var random = RandomRegisters(seed)
        random.stamps = stamps
        for round in 0..<6 {
            // Few entities at a time meet more often.
            random.entities = [["Dept", "Person"], ["Folder", "Item"], MergeWorld.names][round % 3]
            random.width = Int.random(in: 1...4, using: &random.generator)
            let heap = Bool.random(using: &random.generator) ? 1 : 9
            var replica = Replica(MergeWorld.model)
            for _ in 0..<40 {
                let before = replica.graph.seen.objects
                let joined = random.registers(Int.random(in: 1...heap, using: &random.generator))
                let told = replica.join(joined)
                let (state, seen) = (replica.state, replica.graph.seen)
                let defined = MergeReference(state, model: MergeWorld.model).graph()
                let names = Set(before.keys).union(defined.objects.keys)
                let written = names.filter { before[$0] != defined.objects[$0] }
                let whole = Replica(MergeWorld.model, of: state.registers)
                guard seen == defined, told == written, whole.graph.seen == defined, whole.state == state,
                    [replica, whole].allSatisfy({ $0.graph.objectCount == defined.objects.count })
                else {
                    Issue.record(
                        """
                        seed \(seed)
                        seen: \(seen)
                        seen at once: \(whole.graph.seen)
                        defined: \(defined)
                        told: \(told), not \(written)
                        joined: \(joined)
                        state: \(state.registers)
                        """)
                    return
                }
            }
        }
    }

    @Test(arguments: Seed.several(25))
    func `equals the definition after every step`(seed: Seed) { check(seed, stamps: nil) }

    @Test(arguments: Seed.several(25))
    func `equals it where stamps are equal`(seed: Seed) { check(seed, stamps: 6) }
}
