internal import CofferMerge

/// All orders in which two peers can do three saves each and read of each other before any of them, for every
/// pair of kinds of edits.
///
/// Peers begin with the same few objects. One does edits of the first kind, the second and the first, the
/// other of the second, the first and the second; which objects they edit follows from a number. Steps that
/// orders have in common at their beginning are done once, and a peer that would read when there is nothing
/// new does not: it would be the same order again.
package struct ExhaustiveRun {
    private let models: SimulatedModels
    private let mutant: Mutant?
    private let variants: Int
    /// How many schedules were run to their end, or until something went wrong.
    private var count = 0

    /// A run in which each order is tried on so many choices of objects.
    package init(models: SimulatedModels, mutant: Mutant? = nil, variants: Int) {
        self.models = models
        self.mutant = mutant
        self.variants = variants
    }

    /// Runs all, or those of some kinds.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of which all pairs are tried.
    ///   - report: Told of each schedule that went wrong.
    /// - Returns: How many schedules were run.
    package mutating func run(
        _ kinds: [EditKind] = EditKind.allCases, _ report: (Schedule, Divergence) -> Void
    ) -> Int {
        count = 0
        for model in SimulatedModel.allCases { run(kinds, in: model, report) }
        return count
    }

    private mutating func run(
        _ kinds: [EditKind], in model: SimulatedModel, _ report: (Schedule, Divergence) -> Void
    ) {
        for variant in 0..<UInt64(variants) {
            var beginning = Schedule(beginning: variant, model)
            let events = beginning.events
            var world = Simulation(beginning, models: models, mutant: mutant)
            beginning.events = []
            do throws(Divergence) {
                for event in events {
                    beginning.events.append(event)
                    try world.advance(event)
                }
            } catch {
                count += 1
                report(beginning, error)
                continue
            }
            for first in kinds {
                for second in kinds {
                    let plan = Plan(
                        kinds: [[first, second, first], [second, first, second]], variant: variant)
                    explore(plan, from: world, path: beginning, done: [0, 0], report: report)
                }
            }
        }
    }

    /// What each peer does, and the number from which the rest follows.
    private struct Plan {
        let kinds: [[EditKind]]
        let variant: UInt64

        /// A step of a peer, which is the same one in whichever order it comes.
        func step(_ kind: Schedule.Kind, of peer: Int, number: Int, after beginning: Int) -> Schedule.Event {
            let place = beginning + 10 * peer + number
            let role: UInt64 =
                switch kind {
                case .save: 0
                case .fold: 1
                default: 2
                }
            var draw = Draw(variant &* 1_000_003 &+ UInt64(place) &* 3 &+ role)
            return Schedule.Event(place: place, peer: peer, kind: kind, seed: draw.next())
        }
    }

    private mutating func explore(
        _ plan: Plan, from world: Simulation, path: Schedule, done: [Int],
        report: (Schedule, Divergence) -> Void
    ) {
        if done.indices.allSatisfy({ done[$0] == plan.kinds[$0].count }) {
            count += 1
            var end = world
            do throws(Divergence) { try end.meet() } catch { report(path, error) }
            return
        }
        for peer in done.indices where done[peer] < plan.kinds[peer].count {
            let number = done[peer]
            func step(_ kind: Schedule.Kind) -> Schedule.Event {
                plan.step(kind, of: peer, number: number, after: Schedule.beginningCount)
            }
            let saving = [step(.save(plan.kinds[peer][number])), step(.fold)]
            let ways = world.hasNews(for: peer) ? [saving, [step(.meet)] + saving] : [saving]
            for events in ways {
                var (next, path, done) = (world, path, done)
                done[peer] += 1
                do throws(Divergence) {
                    for event in events {
                        path.events.append(event)
                        try next.advance(event)
                    }
                } catch {
                    count += 1
                    report(path, error)
                    continue
                }
                explore(plan, from: next, path: path, done: done, report: report)
            }
        }
    }
}

extension Schedule {
    private static let edits: [EditKind] =
        Array(repeating: .insert, count: 6) + [.link, .tag, .marry, .delete]

    /// How many steps two peers have in common.
    fileprivate static let beginningCount = edits.count + 1

    /// The steps that two peers have in common: one makes a few objects, and the other reads them.
    fileprivate init(beginning variant: UInt64, _ model: SimulatedModel) {
        var draw = Draw(variant)
        var drawn: [Event] = []
        func add(_ peer: Int, _ kind: Kind) {
            drawn.append(Event(place: drawn.count, peer: peer, kind: kind, seed: draw.next()))
        }
        for kind in Self.edits { add(0, .save(kind)) }
        add(1, .meet)
        let parts = model.parts + [model.names]
        self.init(
            peers: 2, skews: [0, 0], model: model, entities: parts[Int(variant % UInt64(parts.count))],
            carrierSeed: variant, events: drawn)
    }
}
