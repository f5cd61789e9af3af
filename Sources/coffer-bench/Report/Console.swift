import CofferLinux
import Glibc  // Whether standard error is a terminal.

/// Says things to people, on standard error.
enum Console {
    private static let isTerminal = isatty(STDERR_FILENO) == 1
    private static let output = OwnedDescriptor(owning: STDERR_FILENO)

    /// Tells what went wrong.
    static func complain(_ text: String) { write("\(clearing)coffer-bench: \(text)\n") }

    /// Tells what is being done, on a terminal only, in place of what was told before.
    static func progress(_ text: String) {
        if isTerminal { write(clearing + text) }
    }

    private static var clearing: String { isTerminal ? "\r\u{1B}[K" : "" }

    private static func write(_ text: String) {
        // Where nobody listens, nothing is missed.
        try? output.writeAll(Array(text.utf8))
    }
}
