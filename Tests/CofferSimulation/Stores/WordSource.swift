internal import FoundationEssentials
internal import Synchronization

/// Random numbers that follow from a seed.
///
/// Shared, by a lock.
final class WordSource: Sendable {
    private let draw: Mutex<Draw>

    init(_ seed: UInt64) { draw = Mutex(Draw(seed)) }

    func next() -> (UInt64, UInt64) { draw.withLock { ($0.next(), $0.next()) } }

    func uuid() -> UUID {
        let (high, low) = next()
        let byte = { (word: UInt64, place: UInt64) in UInt8(truncatingIfNeeded: word >> (8 * place)) }
        return UUID(
            uuid: (
                byte(high, 7), byte(high, 6), byte(high, 5), byte(high, 4), byte(high, 3), byte(high, 2),
                byte(high, 1), byte(high, 0), byte(low, 7), byte(low, 6), byte(low, 5), byte(low, 4),
                byte(low, 3), byte(low, 2), byte(low, 1), byte(low, 0)
            ))
    }
}
