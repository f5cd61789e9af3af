/// The stream on which a process tells what nobody asked it for.
package enum StandardError {
    /// Never closed: it belongs to the process.
    private static let descriptor = OwnedDescriptor(owning: 2)

    /// Writes text and a line's end.
    package static func say(_ text: String) { put(text + "\n") }

    /// Writes text as it is; nothing if the stream is closed: there is no other place to tell it.
    package static func put(_ text: String) { try? descriptor.writeAll(Array(text.utf8)) }
}
