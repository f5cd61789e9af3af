internal import CLinux

/// The lines that a pipe brings.
///
/// Confined: one reader at a time.
package final class LineReader {
    private let descriptor: OwnedDescriptor
    private var waiting: [UInt8] = []
    private var isAtEnd = false

    /// Lines from the reading end of a pipe.
    package init(_ descriptor: OwnedDescriptor) {
        self.descriptor = descriptor
    }

    /// The next line without its line feed; `nil` at the end, or if `timeout` passed before a whole line
    /// came.
    ///
    /// A line longer than `Limits.childLine` is cut into several.
    package func next(timeout: Duration? = nil) throws(LinuxError) -> String? {
        let deadline = timeout.map { Monotonic.now + $0.wholeNanoseconds }
        while true {
            if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
                defer { waiting.removeFirst(end + 1) }
                return String(decoding: waiting[..<end], as: UTF8.self)
            }
            if isAtEnd || waiting.count > Limits.childLine {
                defer { waiting = [] }
                return waiting.isEmpty ? nil : String(decoding: waiting, as: UTF8.self)
            }
            if try !descriptor.waitReady(toWrite: false, deadline: deadline) { return nil }
            let more = try descriptor.read(upTo: 4096)
            isAtEnd = more.isEmpty
            waiting += more
        }
    }

    /// Whether nothing more will come, and all that came was taken.
    package var hasEnded: Bool { isAtEnd && waiting.isEmpty }

    /// All lines that are still to come, until the end.
    package func rest() throws(LinuxError) -> [String] {
        var lines: [String] = []
        while let line = try next() { lines.append(line) }
        return lines
    }
}
