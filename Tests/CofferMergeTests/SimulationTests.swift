import CofferSimulation
import TestSupport
import Testing

@Suite struct `A simulation` {
    @Test(arguments: Seed.several(200))
    func `ends with all peers equal, and is at each step what the definition says`(seed: Seed) {
        let schedule = Schedule(seed: seed.value)
        guard let divergence = schedule.divergence(in: MergeWorld.models) else { return }
        var story: [String] = []
        _ = schedule.shrunk(in: MergeWorld.models).divergence(in: MergeWorld.models) { story.append($0) }
        Issue.record("seed \(seed): \(divergence)\n\(story.joined(separator: "\n"))")
    }

    /// The quick ones; the rest are rarer than a test should look for.
    @Test(arguments: [
        Mutant.risingStamps, .lastArrival, .denial, .lateChildren, .sealing, .sameness, .yieldingDefaults,
        .mutualPairs, .orderNumbers, .judgedKeys,
    ])
    func `notices a rule left out`(mutant: Mutant) throws {
        let models = try SimulatedModels(omitting: mutant.omitted)
        let found = (1...600).first { seed in
            Schedule(seed: UInt64(seed)).divergence(in: models, mutant: mutant) != nil
        }
        #expect(found != nil, "\(mutant.summary), and nobody notices")
    }

    /// Each of them, or those that the first schedules notice.
    @Test(
        arguments: TestScope.isAll()
            ? [.ownFolds, .foldedImports, .rowsFirst, .looseReferences, .readBeforeRemoval, .keptOutbox]
            : [Mutant.readBeforeRemoval, .keptOutbox])
    func `notices what an exchange leaves out`(mutant: Mutant) { expectNotice(of: mutant, among: 1...300) }

    /// Copies of one store that write in one microsecond are rare: not all seeds have any.
    @Test(.leftToAll) func `notices that of equal stamps the first to arrive wins`() {
        expectNotice(of: .equalStamps, among: 400...700)
    }

    private func expectNotice(of mutant: Mutant, among seeds: ClosedRange<UInt64>) {
        let found = seeds.first { seed in
            var schedule = Schedule(seed: seed)
            schedule.isOverContainer = true
            return schedule.divergence(in: MergeWorld.models, mutant: mutant) != nil
        }
        #expect(found != nil, "\(mutant.summary), and nobody notices")
    }

    @Test(arguments: Seed.several(40))
    func `over folders that are carried badly ends with all peers equal`(seed: Seed) {
        var schedule = Schedule(seed: seed.value)
        schedule.isOverContainer = true
        guard let divergence = schedule.divergence(in: MergeWorld.models) else { return }
        var story: [String] = []
        _ = schedule.divergence(in: MergeWorld.models) { story.append($0) }
        Issue.record("seed \(seed): \(divergence)\n\(story.joined(separator: "\n"))")
    }

    @Test(arguments: Seed.several(12))
    func `over files that fail at any write ends with all peers equal`(seed: Seed) {
        var schedule = Schedule(seed: seed.value)
        schedule.isOverStores = true
        guard let divergence = schedule.divergence(in: MergeWorld.models) else { return }
        var story: [String] = []
        _ = schedule.divergence(in: MergeWorld.models) { story.append($0) }
        Issue.record("seed \(seed): \(divergence)\n\(story.joined(separator: "\n"))")
    }

    @Test func `runs all orders of two peers' edits`() {
        var run = ExhaustiveRun(models: MergeWorld.models, variants: 1)
        let count = run.run([.attribute]) { _, divergence in Issue.record("\(divergence)") }
        #expect(count == 393, "20 orders of six saves of each model, with every reading that finds something")
    }

    @Test func `is shrunk to steps that all are needed`() throws {
        let mutant = Mutant.lastArrival
        let models = MergeWorld.models
        let seed = try #require(
            (1...100).first { Schedule(seed: $0).divergence(in: models, mutant: mutant) != nil })
        let shrunk = Schedule(seed: seed).shrunk(in: models, mutant: mutant)
        #expect(shrunk.divergence(in: models, mutant: mutant) != nil)
        for place in shrunk.events.indices {
            var shorter = shrunk
            shorter.events.remove(at: place)
            #expect(shorter.divergence(in: models, mutant: mutant) == nil)
        }
    }

    @Test func `tells each of many seeds that goes wrong, once`() async {
        var found: [UInt64] = []
        let run = SeedRun(5..<1_000, workers: 3)
        await run.run({ $0 % 100 == 7 ? "wrong" : nil }, report: { seed, _ in found.append(seed) })
        #expect(found.sorted() == (0..<10).map { 7 + 100 * $0 })
    }

    @Test func `tells the same story twice`() {
        func story() -> [String] {
            var lines: [String] = []
            _ = Schedule(seed: 7).divergence(in: MergeWorld.models) { lines.append($0) }
            return lines
        }
        #expect(story() == story() && !story().isEmpty)
    }
}
