import CofferLinux

/// How far something has come, on standard error and only if a person reads it.
///
/// Confined.
final class ProgressBar {
    private static let width = 30
    /// A shorter bar shows nothing.
    private static let least = 5

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
        StandardError.put("\r\(line(count, width: StandardError.columns - 1))\u{1B}[K")
    }

    /// What fits into the width, so that the next one can be written over it.
    private func line(_ count: Int, width: Int) -> String {
        let share = Double(count) / Double(total)
        let rate = Int(Double(count) / max(seconds, 0.001))
        let text = " \(Int(share * 100))%  \(count) of \(total), \(rate) a second"
        let room = min(Self.width, width - TerminalText.width(of: title) - text.count - 4)
        if room < Self.least { return TerminalText.cut(title + text, to: width) }
        let filled = Int(share * Double(room))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: room - filled)
        return "\(title)  [\(bar)]\(text)"
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
