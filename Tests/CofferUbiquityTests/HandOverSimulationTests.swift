import CofferMerge
import CofferSimulation
import TestSupport
import Testing

@Suite struct `A simulation of hand-overs` {
    private static let model = Result { try HandOverSchedule.model() }

    private static func story(of schedule: HandOverSchedule, _ model: MergeModel) -> [String] {
        var lines: [String] = []
        _ = schedule.divergence(model: model) { lines.append($0) }
        return lines
    }

    @Test(arguments: Seed.several(8))
    func `leaves each record with its account alone, wherever the service dies`(seed: Seed) throws {
        let model = try Self.model.get()
        for number in 0..<50 {
            let schedule = HandOverSchedule(seed: seed.value &+ UInt64(number))
            guard let divergence = schedule.divergence(model: model) else { continue }
            let story = Self.story(of: schedule.shrunk(model: model), model).joined(separator: "\n")
            Issue.record("seed \(seed) and \(number): \(divergence)\n\(story)")
        }
    }

    @Test(arguments: [
        HandOverMutant.freshIDs, .unreadDebts, .lostFallback, .staleQuestion, .everyLocal, .silentChange,
    ])
    func `notices a step that is done wrong`(mutant: HandOverMutant) throws {
        let model = try Self.model.get()
        let found = (1...600).first { seed in
            HandOverSchedule(seed: UInt64(seed)).divergence(model: model, mutant: mutant) != nil
        }
        #expect(found != nil, "\(mutant.summary), and nobody notices")
    }

    @Test func `tells the same story twice`() throws {
        let model = try Self.model.get()
        let stories = (0..<2).map { _ in Self.story(of: HandOverSchedule(seed: 7), model) }
        #expect(stories[0] == stories[1] && !stories[0].isEmpty)
    }

    @Test func `is shrunk to steps that all are needed`() throws {
        let model = try Self.model.get()
        let mutant = HandOverMutant.freshIDs
        let seed = try #require(
            (1...100).first { HandOverSchedule(seed: $0).divergence(model: model, mutant: mutant) != nil })
        let shrunk = HandOverSchedule(seed: seed).shrunk(model: model, mutant: mutant)
        #expect(shrunk.divergence(model: model, mutant: mutant) != nil)
        for place in shrunk.events.indices {
            var shorter = shrunk
            shorter.events.remove(at: place)
            #expect(shorter.divergence(model: model, mutant: mutant) == nil)
        }
    }
}
