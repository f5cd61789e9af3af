import FoundationEssentials
import TestSupport

/// Random numbers that a seed repeats, and what messages are made of.
struct Dice: RandomNumberGenerator {
    private var numbers: SeededGenerator

    init(_ seed: Seed) { numbers = seed.generator() }

    init(seed: UInt64) { self.init(Seed(seed)) }

    mutating func next() -> UInt64 { numbers.next() }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    mutating func flag() -> Bool { Bool.random(using: &self) }
    mutating func number() -> UInt64 { next() >> UInt64(below(64)) }
    mutating func number32() -> UInt32 { UInt32(truncatingIfNeeded: next() >> UInt64(32 + below(32))) }
    mutating func key() -> Int64 { Int64(bitPattern: next()) >> Int64(below(64)) }
    mutating func double() -> Double { Double(key()) / 7 }
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
    mutating func bytes() -> [UInt8] { bytes(below(20)) }

    mutating func uuid() -> UUID {
        let b = bytes(16)
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
                b[15]
            ))
    }

    mutating func text() -> String {
        let words = ["", "a", "Zürich", "東京", "👩‍👩‍👧", "name", "\0", "x y", "e\u{301}"]
        return (0..<below(4)).map { _ in words[below(words.count)] }.joined()
    }

    mutating func list<Element>(_ limit: Int = 4, _ make: (inout Dice) -> Element) -> [Element] {
        (0..<below(limit)).map { _ in make(&self) }
    }

    mutating func rows<Element>(_ count: Int, _ make: (inout Dice) -> Element) -> [Element] {
        (0..<count).map { _ in make(&self) }
    }

    mutating func maybe<Element>(_ make: (inout Dice) -> Element) -> Element? { flag() ? make(&self) : nil }
}
