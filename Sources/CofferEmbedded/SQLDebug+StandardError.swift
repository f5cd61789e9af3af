import CofferLinux
import CofferStores

extension SQLDebug {
    /// A debug log that writes to standard error, where anything is to be told.
    ///
    /// Where `level` is `nil`, `COFFER_SQL_DEBUG` of the environment says how much.
    static func toStandardError(level: Int?) -> SQLDebug? {
        let level = level ?? CurrentProcess.environment["COFFER_SQL_DEBUG"].flatMap { Int($0) } ?? 0
        guard level > 0 else { return nil }
        return SQLDebug(level: level) { entry in
            // Who closed standard error wants to see nothing.
            try? StandardError.descriptor.writeAll(Array((entry.text + "\n").utf8))
        }
    }
}

/// Where this module tells what nobody asked for, and what somebody asked for by the environment.
enum StandardError {
    // Never closed: it belongs to the process.
    static let descriptor = OwnedDescriptor(owning: 2)
}
