/// The stream for messages, beside what a program is asked for.
package enum StandardError {
    /// Never closed: it belongs to the process.
    private static let descriptor = OwnedDescriptor(owning: 2)

    /// Writes text and a line's end.
    package static func say(_ text: String) { put(text + "\n") }

    /// Writes text as it is; nothing if the stream is closed.
    package static func put(_ text: String) {
        // A failure to write would have to be told here, too.
        try? descriptor.writeAll(Array(text.utf8))
    }
}
