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

    /// So many seeds for `Tests/run --all`, and a quarter of them else.
    ///
    /// They are the same ones in each run: what fails then is a change, and not luck. `COFFER_SEED` in
    /// `environment` is the only one, if it is a number; if it is `fresh`, no run had them before.
    package static func several(
        _ count: Int, file: String = #fileID, environment: [String: String] = CurrentProcess.environment
    ) -> [Seed] {
        let wanted = environment["COFFER_SEED"]
        if let value = wanted.flatMap({ UInt64($0) }) { return [Seed(value)] }
        let words = wanted == "fresh" ? Randomness.words() : (number(of: file), 0)
        var numbers = SeededGenerator(seed: words.0)
        let count = TestScope.isAll(environment) ? count : (count + 3) / 4
        return (0..<count).map { _ in Seed(numbers.next()) }
    }

    /// One such seed, printed: for what has no arguments, which the library would print.
    package static func printed(for subject: String, file: String = #fileID) -> Seed {
        let seed = several(1, file: file)[0]
        print("\(subject), COFFER_SEED=\(seed)")
        return seed
    }

    /// A number that differs from file to file, by the FNV-1a algorithm.
    private static func number(of file: String) -> UInt64 {
        file.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
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
