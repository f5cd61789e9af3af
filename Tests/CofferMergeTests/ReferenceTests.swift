import CofferMerge
import MergeReference
import TestSupport
import Testing

@Suite struct `The reference` {
    /// Both models' graphs of a state, by what they both know.
    private func graphs(_ state: State) -> (reference: SeenGraph, second: SeenGraph) {
        var reference = MergeReference(state, model: MergeWorld.model).graph()
        for id in reference.objects.keys { reference.objects[id]?.orders = [:] }
        return (reference, SecondModel(state, model: MergeWorld.model).graph())
    }

    private func agree(_ registers: [Register]) -> Bool {
        let (reference, second) = graphs(State(registers))
        return reference == second
    }

    /// As few registers as still tell the models apart.
    private func shrunk(_ registers: [Register]) -> [Register] {
        var left = registers
        var place = 0
        while place < left.count {
            var fewer = left
            fewer.remove(at: place)
            if agree(fewer) { place += 1 } else { left = fewer }
        }
        return left
    }

    /// States of all densities, with equal stamps or without.
    private func check(_ seed: Seed, stamps: Int64?) {
        var random = RandomRegisters(seed)
        random.stamps = stamps
        for round in 0..<51 {
            // Few entities at a time meet more often.
            random.entities = [["Dept", "Person"], ["Folder", "Item", "Tag"], MergeWorld.names][round % 3]
            random.width = Int.random(in: 1...4, using: &random.generator)
            let registers = random.registers(Int.random(in: 5...90, using: &random.generator))
            if agree(registers) { continue }
            let least = shrunk(registers)
            let (reference, second) = graphs(State(least))
            Issue.record("seed \(seed)\n\(least)\nreference: \(reference)\nsecond: \(second)")
            return
        }
    }

    @Test(arguments: Seed.several(20))
    func `sees what the second model sees`(seed: Seed) { check(seed, stamps: nil) }

    @Test(arguments: Seed.several(20))
    func `sees what the second model sees where stamps are equal`(seed: Seed) { check(seed, stamps: 5) }
}
