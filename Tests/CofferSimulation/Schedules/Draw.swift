/// Choices that follow from a number alone, by the SplitMix64 algorithm.
struct Draw: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// One of so many; `bound` is above 0.
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &self) }

    /// Choices of their own, which follow from the same number: to make them leaves these as they are.
    func fork(_ branch: UInt64) -> Draw {
        var copy = self
        return Draw(copy.next() ^ (branch &* 0xD6E8_FEB8_6659_FD93))
    }
}
