/// How far something has come, on standard error and only where a person reads it.
///
/// Confined.
final class ProgressBar {
    private static let width = 30

    private let title: String
    private let total: Int
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?

    init(_ title: String, total: Int) {
        self.title = title
        self.total = total
        isShown = StandardError.isTerminal && total > 0
    }

    /// Shows that so many are done.
    func advance(to count: Int) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if count < total, let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
        lastDrawn = now
        let share = Double(count) / Double(total)
        let filled = Int(share * Double(Self.width))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
        let rate = Int(Double(count) / max(seconds, 0.001))
        StandardError.put(
            "\r\(title)  [\(bar)] \(Int(share * 100))%  \(count) of \(total), \(rate) a second ")
    }

    /// Takes the bar away.
    func finish() {
        guard lastDrawn != nil else { return }
        lastDrawn = nil
        StandardError.put("\r\u{1B}[K")
    }

    /// How long it took so far.
    var seconds: Double {
        let time = (ContinuousClock.now - start).components
        return Double(time.seconds) + Double(time.attoseconds) * 1e-18
    }
}
