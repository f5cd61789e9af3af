import CofferLinux
import Glibc  // Whether standard error is a terminal.

/// Says things to people, on standard error, and gives results on standard output.
enum Console {
    private static let isTerminal = isatty(STDERR_FILENO) == 1
    private static let output = OwnedDescriptor(owning: STDERR_FILENO)

    /// Tells what went wrong.
    static func complain(_ text: String) { write("\(clearing)coffer-bench: \(text)\n") }

    /// Tells what is being done, on a terminal only, in place of what was told before.
    static func progress(_ text: String) {
        if isTerminal { write(clearing + text) }
    }

    /// Writes the lines of results.
    ///
    /// - Throws: if not all of them could be written: what was measured is not to be lost without a word.
    static func give(_ lines: [String]) throws(LinuxError) {
        try results.writeAll(Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    private static let results = OwnedDescriptor(owning: STDOUT_FILENO)

    private static var clearing: String { isTerminal ? "\r\u{1B}[K" : "" }

    private static func write(_ text: String) {
        // If the output has no reader, nothing is missed.
        try? output.writeAll(Array(text.utf8))
    }
}
