/// The figures that an exchange goes by; tests make them small.
package struct ExchangeRules: Hashable, Sendable {
    /// Bytes that a log made of others has at most.
    package var logByteCount = 8 << 20
    /// Folds that it has at most: others read no more.
    package var foldsOfLog = Limits.foldsOfLog
    /// Registers that it has at most, likewise.
    package var registersOfLog = Limits.registersOfLog
    /// How many adjacent logs of one tier become one, which is of the next tier: two at least.
    package var mergedCount = 16
    /// How long a larger log of one's own has stood before those that it has the folds of may go, though no
    /// other peer has told that it has these: at least so long, and twice the time that it spans.
    ///
    /// A carrier that loses the larger one, and takes the deletion of the others, loses work of that time
    /// until the author has put it again.
    package var lonePatience = Duration.seconds(300)
    /// Logs that no baseline covers which was read, at which a new one is written.
    package var baselineLogCount = 200
    /// Bytes of such logs below which none is written for them, however small the last baseline was.
    package var baselineByteCount = 1 << 20
    /// Logs of others that were read and that no third peer has told of, at which a receipt is written.
    package var receiptLogCount = 48
    /// What several peers may do is done by the first of them at once, and by each other one so much later
    /// than by the one before it, if it is to be done still.
    package var turn = Duration.seconds(60)
    /// Records of a part of a baseline, on average: parts end where records' ids say, so that later baselines
    /// cut the same ones alike.
    package var recordsOfPart: UInt64 = 8_192
    /// Registers that a part has at most.
    package var registersOfPart = 400_000
    /// Bytes of registers, roughly and before deflate, after which a log or a part of a baseline is cut.
    package var runByteCount = 6 << 20
    /// After how long a fold that has not come is skipped, a part that no baseline names goes, and a
    /// baseline that no other peer has read counts as read if it can still be read.
    package var patience = Duration.seconds(7 * 86_400)
    /// After how long values that nothing names go, and what is dead is buried.
    package var longPatience = Duration.seconds(90 * 86_400)
    /// How long a gap in the container lasts before a peer that has the folds writes a baseline; how
    /// often a peer with nothing to say tells what it has read, and how often own logs are put again,
    /// which changes nothing if they are whole.
    package var daily = Duration.seconds(86_400)
    /// How much of the time between two looks at the container counts: a clock that jumps is not time that
    /// passes.
    package var step = Duration.seconds(86_400)
    /// How far ahead of this machine's clock others' clocks may be, and how long a peer is counted without a
    /// word.
    package var lead = Duration.seconds(366 * 86_400)
    /// How long after an object could not be read it is tried again, doubled each time up to `daily`.
    package var retry = Duration.seconds(10)
    /// How long something is waited for before that outlasts the process.
    package var keptWait = Duration.seconds(600)
    /// How many folds of a container's logs are noted.
    package var knownFolds = Limits.knownFolds
    /// How many copies of one store are told apart.
    package var branchesOfWriter = Limits.branchesOfWriter
    /// What a simulation leaves out.
    package var omitted: OmittedExchangeRules = []

    package init() {}
}

/// A moment, in microseconds since 1970 by this machine's clock.
///
/// Clocks go back: then everything that waits only waits longer.
package struct WallTime: Hashable, Sendable, Comparable {
    /// Microseconds since 1970.
    package let microseconds: Int64

    /// The moment with that number.
    package init(microseconds: Int64) { self.microseconds = microseconds }

    package static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }

    /// The moment a while later.
    package static func + (time: WallTime, duration: Duration) -> WallTime {
        WallTime(microseconds: time.microseconds + duration.microseconds)
    }

    /// How long it has been since; negative if that is later.
    package func passed(since start: WallTime) -> Duration {
        .microseconds(microseconds - start.microseconds)
    }

    /// Whether at least so long has passed since.
    package func isPast(_ duration: Duration, since start: WallTime) -> Bool { self >= start + duration }
}

extension Duration {
    /// Whole microseconds.
    fileprivate var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
