import ArgumentParser
import CofferMerge
import CofferSimulation

/// Schedules of users that sign in and out.
extension CofferSim {
    /// Whether something can be left out, or done wrong, under this name.
    func isKnown(_ mutant: String) -> Bool {
        handOvers ? HandOverMutant(rawValue: mutant) != nil : Mutant(rawValue: mutant) != nil
    }

    func runHandOvers() async throws {
        if mutant == "list" {
            for mutant in HandOverMutant.allCases { print("\(mutant.rawValue): \(mutant.summary)") }
            return
        }
        let mutant = mutant.flatMap { HandOverMutant(rawValue: $0) }
        let model = try HandOverSchedule.model()
        if let replay {
            let schedule = HandOverSchedule(seed: replay)
            let divergence = schedule.divergence(model: model, mutant: mutant) { print($0) }
            print(divergence.map { "Wrong: \($0)" } ?? "Every record is where it belongs.")
            if divergence != nil { throw ExitCode(1) }
            return
        }
        var divergent: UInt64 = 0
        await SeedRun(seed..<(seed + count)).run { seed in
            HandOverSchedule(seed: seed).divergence(model: model, mutant: mutant)
        } report: { seed, divergence in
            divergent += 1
            guard divergent <= 2, !json else { return }
            print("seed \(seed): \(divergence)")
            let left = HandOverSchedule(seed: seed).shrunk(model: model, mutant: mutant)
                .divergence(model: model, mutant: mutant) { print("  \($0)") }
            if let left { print("  Wrong: \(left)") }
        }
        try finish(count, divergent)
    }
}
