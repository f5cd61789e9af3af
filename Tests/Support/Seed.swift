import CofferLinux

/// What a random test starts from: equal seeds make equal tests.
///
/// It prints as the number that `COFFER_SEED` takes to repeat one run.
package struct Seed: Hashable, Sendable, CustomStringConvertible {
    /// The number.
    package let value: UInt64

    /// The seed with that number.
    package init(_ value: UInt64) {
        self.value = value
    }

    /// So many seeds that nobody used before, or the one that `COFFER_SEED` in `environment` names.
    package static func fresh(
        _ count: Int, environment: [String: String] = CurrentProcess.environment
    ) -> [Seed] {
        if let value = environment["COFFER_SEED"].flatMap({ UInt64($0) }) { return [Seed(value)] }
        return (0..<count).map { _ in Seed(Randomness.words().0) }
    }

    /// One such seed, printed: for what has no arguments, which the library would print.
    package static func printed(for subject: String) -> Seed {
        let seed = fresh(1)[0]
        print("\(subject), COFFER_SEED=\(seed)")
        return seed
    }

    /// A generator that gives each seed its own sequence of numbers, always alike.
    package func generator() -> SeededGenerator { SeededGenerator(seed: value) }

    package var description: String { "\(value)" }
}

/// Random numbers that follow from a seed alone, with the SplitMix64 algorithm.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The numbers that follow from `seed`.
    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// So many random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
