internal import CofferMerge

/// Bounds on what lies in a container, which anybody who carries it can write to.
package enum Limits {
    /// Bytes of a name: that of a log with the largest numbers has 108.
    static let nameByteCount = 128
    /// Bytes of a marker as it lies in the container: it has some fifty.
    static let markerByteCount = 4 << 10
    /// Bytes of an object as it lies in the container: a log ends at 8 MiB, and deflate may add a little.
    package static let objectByteCount = 9 << 20
    /// Names that are told of as not ours; more are only counted.
    package static let strangers = 100

    /// Bytes of a piece of a large value.
    static let pieceByteCount = 8 << 20
    /// Bytes of a value: as many as a message of the channel may have.
    static let valueByteCount = 256 << 20
    /// From how many bytes on a value stands apart from the registers that name it.
    package static let largeByteCount = 100 << 10

    /// Bytes of a place among others: writers keep to 64, and did not in the first versions.
    static let placeByteCount = 64 << 10
    /// The last time that an object tells of itself, in microseconds since 1970: that of the last stamp.
    static let lastTime = CofferMerge.Limits.lastMicrosecond
    /// When this was written, in 2026: a clock that tells an earlier time was never set.
    static let written = WallTime(microseconds: 1_795_910_400_000_000)

    /// Objects that are joined in one transaction if they were saved together.
    static let objectsAtOnce = 10_000

    /// Runs of folds that a state does not have of one peer: each was given up after a week.
    static let missingRuns = 10_000
    /// Folds of a log: a merged one has 16³ small ones, each of some folds.
    package static let foldsOfLog = 100_000

    /// Folds that the logs of a container tell of, with a hash of 16 bytes each; a baseline stands for older
    /// ones.
    static let knownFolds = 2_000_000
    /// Copies of one store that go on under its id: each changes its id when it sees a log of another.
    static let branchesOfWriter = 200

    /// Registers of a log that is made of others.
    package static let registersOfLog = 1_000_000
    /// Registers of an object, of 160 bytes each, and names of relationships in its deaths.
    ///
    /// Some kilobytes that are deflated could stand for more than memory has room for. The first versions
    /// bounded bytes alone.
    static let registersOfObject = 2 * registersOfLog

    /// Passes of Argon2id that a key may ask for: what is written takes 3.
    static let passes: ClosedRange<UInt64> = 1...16
    /// Bytes that a key may ask Argon2id to take: what is written takes 256 MiB.
    static let keyMemory: ClosedRange<UInt64> = (8 << 10)...(1 << 30)

    /// Bytes that the content of an object may have.
    static func contentByteCount(of kind: ObjectIdentity.Kind) -> Int {
        switch kind {
        case .marker, .removal: 4 << 10
        case .keys, .baseline: 4 << 20
        // As a model may have on the channel.
        case .model: 16 << 20
        case .data: pieceByteCount
        case .log, .part: 64 << 20
        }
    }
}
