import ArgumentParser
import CofferMerge
import CofferSimulation

@main
struct CofferSim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coffer-sim",
        abstract: "Run the rules of merging over random schedules, and tell which peers end different.",
        discussion: """
            Two to five peers save, fold and read of each other over a carrier that loses, delays and repeats, with wrong \
            clocks, copies and crashes; in a tenth of the schedules they have real stores, in files in memory whose \
            writes fail. After every step what is seen is compared with its definition and with what rules promise; at \
            the end all peers must be equal. Failing schedules are shrunk and told.

            With --hand-overs users sign in and out of accounts instead, while clients have a store open and services die \
            between any two of their steps: no record may be lost, doubled, or come into another account's store.

            Examples:
              coffer-sim --seed 1 --count 20000
              coffer-sim --replay 4711
              coffer-sim --mutant denial --count 1000
              coffer-sim --container --count 2000
              coffer-sim --stores-every 1 --count 200
              coffer-sim --hand-overs --count 10000
              coffer-sim --exhaustive

            Exit codes: 0 all peers ended equal, 1 some did not, 64 wrong arguments.
            """)

    @Option(help: "The first seed; schedules have this one and those that follow.")
    var seed: UInt64 = 1

    @Option(help: "How many schedules are run.")
    var count: UInt64 = 1_000

    @Option(help: "Tell the schedule of one seed as a story.")
    var replay: UInt64?

    @Option(help: "Leave a rule out, to see that it is noticed; 'list' names them.")
    var mutant: String?

    @Flag(help: "Have peers exchange a container's objects over folders in all schedules, not in a tenth.")
    var container = false

    @Option(help: "Have peers keep what they have in SQLite files in each schedule of so many; 1: in all.")
    var storesEvery: UInt64 = 10

    @Flag(help: "Have users sign in and out while clients have a store open, and services die between steps.")
    var handOvers = false

    @Flag(help: "Run two peers with three saves each, in all orders, over all pairs of kinds of edits.")
    var exhaustive = false

    @Option(help: "With --exhaustive: on how many choices of objects each order is tried.")
    var variants = 4

    @Flag(help: "Measure what an edit and its import cost, by the size of the store.")
    var measure = false

    @Flag(help: "Print the result as one JSON object.")
    var json = false

    func validate() throws {
        guard seed.addingReportingOverflow(count).overflow == false else {
            throw ValidationError("The last seed is beyond what a seed may be; take a smaller one.")
        }
        guard storesEvery > 0 else { throw ValidationError("--stores-every takes 1 or more.") }
        if let mutant, mutant != "list", !isKnown(mutant) {
            throw ValidationError(
                "No rule is called '\(mutant)'; --mutant list names those that can be left out.")
        }
    }

    func run() async throws {
        if handOvers { return try await runHandOvers() }
        if mutant == "list" {
            for mutant in Mutant.allCases { print("\(mutant.rawValue): \(mutant.summary)") }
            return
        }
        let mutant = mutant.flatMap { Mutant(rawValue: $0) }
        let models = try SimulatedModels(omitting: mutant?.omitted ?? [])
        if let replay {
            try tell(schedule(replay), models, without: mutant)
            return
        }
        if measure {
            for size in [1_000, 100_000] {
                for cost in EditCost.measured(of: size, model: models[.lenient]) { print(cost) }
            }
            return
        }
        var divergent: UInt64 = 0
        if exhaustive {
            var run = ExhaustiveRun(models: models, mutant: mutant, variants: variants)
            let count = run.run { schedule, divergence in
                divergent += 1
                report(schedule, divergence, of: "an exhaustive run", isTold: divergent <= 2, in: models)
            }
            try finish(UInt64(count), divergent)
            return
        }
        await SeedRun(seed..<(seed + count)).run { seed in
            schedule(seed).divergence(in: models, mutant: mutant)
        } report: { seed, divergence in
            divergent += 1
            report(schedule(seed), divergence, of: "seed \(seed)", isTold: divergent <= 2, in: models)
        }
        try finish(count, divergent)
    }

    private func schedule(_ seed: UInt64) -> Schedule {
        var schedule = Schedule(seed: seed)
        let mutant = mutant.flatMap { Mutant(rawValue: $0) }
        schedule.isOverStores = seed % storesEvery == 5 % storesEvery
        if container || mutant?.isOfContainer ?? false { schedule.isOverContainer = true }
        return schedule
    }

    /// Tells what is left of a schedule when it is shrunk; once or twice, since more would be noise.
    private func report(
        _ schedule: Schedule, _ divergence: Divergence, of origin: String, isTold: Bool,
        in models: SimulatedModels
    ) {
        guard isTold, !json else { return }
        print("\(origin): \(divergence)")
        let mutant = mutant.flatMap { Mutant(rawValue: $0) }
        _ = schedule.shrunk(in: models, mutant: mutant)
            .divergence(in: models, mutant: mutant) { print("  \($0)") }
    }

    func finish(_ count: UInt64, _ divergent: UInt64) throws {
        print(
            json
                ? #"{"schedules": \#(count), "divergent": \#(divergent)}"#
                : "\(count) schedules, \(divergent) divergent")
        if divergent > 0 { throw ExitCode(1) }
    }

    private func tell(_ schedule: Schedule, _ models: SimulatedModels, without mutant: Mutant?) throws {
        let divergence = schedule.divergence(in: models, mutant: mutant) { print($0) }
        print(divergence.map { "Wrong: \($0)" } ?? "All peers are equal.")
        if divergence != nil { throw ExitCode(1) }
    }
}
