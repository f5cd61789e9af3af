package import CofferMerge

/// What one fold wrote, as it is carried: immutable, named by its writer's chain and its number there.
package struct CarriedFold: Sendable, Hashable {
    /// The chain of folds: one for each writing copy of a store, whatever peer it says to be.
    package let chain: Int
    /// From 0.
    package let number: Int
    /// What was written.
    package let registers: [Register]

    /// A fold of a chain.
    package init(chain: Int, number: Int, registers: [Register]) {
        self.chain = chain
        self.number = number
        self.registers = registers
    }
}

/// Carries folds between peers, at its own pace and not always well.
package protocol FoldCarrier: Sendable {
    /// Takes a fold that a peer has written.
    mutating func put(_ fold: CarriedFold)
    /// The fold with a name, if a reader finds it at a time; `nil` if it has not come, or is lost for now.
    mutating func fold(_ chain: Int, _ number: Int, at time: Int64, reader: Int) -> CarriedFold?
    /// All that was ever put, once all faults are over.
    var all: [CarriedFold] { get }
}

/// A carrier that loses, delays and brings again.
struct FaultyCarrier: FoldCarrier {
    private var folds: [[CarriedFold]] = []
    private var draw: Draw
    /// When a reader first finds a fold.
    private var arrivals: [Arrival: Int64] = [:]

    private struct Arrival: Hashable {
        let chain: Int
        let number: Int
        let reader: Int
    }

    init(_ seed: UInt64) { draw = Draw(seed) }

    var all: [CarriedFold] { folds.flatMap(\.self) }

    mutating func put(_ fold: CarriedFold) {
        while folds.count <= fold.chain { folds.append([]) }
        folds[fold.chain].append(fold)
    }

    mutating func fold(_ chain: Int, _ number: Int, at time: Int64, reader: Int) -> CarriedFold? {
        guard folds.indices.contains(chain), folds[chain].indices.contains(number) else { return nil }
        let arrival = Arrival(chain: chain, number: number, reader: reader)
        if arrivals[arrival] == nil {
            // Most come at once, some late, and some seem lost.
            arrivals[arrival] = draw.chance(75) ? 0 : time + Int64(draw.below(draw.chance(80) ? 20 : 400))
        }
        return arrivals[arrival].map { $0 <= time } ?? false ? folds[chain][number] : nil
    }
}
