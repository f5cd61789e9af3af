import CofferMerge
import MergeReference
import TestSupport
import Testing

@Suite struct `Living, kept up to date` {
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
                let count = Int.random(in: 1...heap, using: &random.generator)
                replica.join(random.state(count).registers)
                let (state, dead) = (replica.state, Set(replica.graph.dead))
                let defined = MergeReference(state, model: MergeWorld.model).graph().dead
                guard dead == defined else {
                    Issue.record("seed \(seed): \(dead) for \(defined): \(state.registers)")
                    return
                }
            }
        }
    }

    @Test(arguments: Seed.several(25))
    func `agrees with the definition after every step`(seed: Seed) { check(seed, stamps: nil) }

    @Test(arguments: Seed.several(25))
    func `agrees where stamps are equal`(seed: Seed) { check(seed, stamps: 6) }

    @Test func `brings back a circle of deaths that hold each other up`() {
        var story = Story()
        var replica = Replica(MergeWorld.model)
        func follow() {
            replica.join(story.state.registers)
            #expect(Set(replica.graph.dead) == story.graph.dead)
        }
        story.insert(folder(1), item(1), item(2))
        story.link(item(1), "buddy", to: item(2), at: 1)
        story.link(item(2), "buddy", to: item(1), at: 1)
        story.link(item(1), "folder", to: folder(1), at: 1)
        story.delete(folder(1), at: 3)
        for item in [item(1), item(2)] { story.delete(item, through: "buddy", at: 3) }
        follow()
        #expect(Set(replica.graph.dead) == [folder(1), item(1), item(2)])
        story.link(item(1), "folder", to: nil, at: 2)
        follow()
        #expect(Set(replica.graph.dead) == [folder(1)])
    }
}
