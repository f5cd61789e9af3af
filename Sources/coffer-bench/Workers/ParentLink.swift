import CofferLinux

/// A worker's line to the process that started it: its standard output, which is a socket.
///
/// Confined.
final class ParentLink {
    /// The socket.
    let descriptor = OwnedDescriptor(owning: 1)
    private let lines: LineReader

    init() { lines = LineReader(descriptor) }

    /// Says a line.
    func say(_ words: String...) throws {
        try descriptor.writeAll(Array((words.joined(separator: "\t") + "\n").utf8))
    }

    /// Tells what was measured.
    func report(_ metric: Metric, _ value: Double) throws { try say("result", metric.rawValue, "\(value)") }

    /// The words of the next line; empty if the parent is gone.
    func hear() throws -> [String] {
        try lines.next()?.split(separator: "\t").map(String.init) ?? []
    }
}
