/// Decides when the WAL is long enough for a checkpoint.
struct CheckpointMeter {
    private let pages: Int
    private var frames = 0
    private var threshold: Int

    init(pages: Int) {
        self.pages = pages
        threshold = pages
    }

    /// Records a commit after which the WAL has so many frames; these are fewer than before if it was reset.
    mutating func didCommit(_ logFrames: Int) {
        if logFrames < frames { threshold = pages }
        frames = logFrames
    }

    var isDue: Bool { frames >= threshold }

    /// If readers block the checkpoint, the WAL keeps growing; the next attempt comes after a quarter of that
    /// size.
    mutating func didCheckpoint() { threshold = frames + max(1, pages / 4) }
}
