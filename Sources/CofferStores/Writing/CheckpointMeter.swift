/// Says when the WAL is long enough for a checkpoint.
struct CheckpointMeter {
    private let pages: Int
    private var frames = 0
    private var threshold: Int

    init(pages: Int) {
        self.pages = pages
        threshold = pages
    }

    /// A commit after which the WAL has so many frames; fewer than before where it has begun anew.
    mutating func didCommit(_ logFrames: Int) {
        if logFrames < frames { threshold = pages }
        frames = logFrames
    }

    var isDue: Bool { frames >= threshold }

    /// Where readers were in the way the WAL goes on growing; it is tried again after a quarter as much.
    mutating func didCheckpoint() { threshold = frames + max(1, pages / 4) }
}
