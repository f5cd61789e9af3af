import Glibc  // Whether standard error is a terminal.

/// Says things to people, on standard error.
enum Console {
    private static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Tells what went wrong.
    static func complain(_ text: String) {
        clear()
        write("coffer-bench: \(text)\n")
    }

    /// Tells what is being done, on a terminal only, in place of what was told before.
    static func progress(_ text: String) {
        guard isTerminal else { return }
        clear()
        write(text)
    }

    private static func clear() { if isTerminal { write("\r\u{1B}[K") } }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        // Where nobody listens, nothing is missed.
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
