import CofferLinux
import CofferStores

extension SQLDebug {
    /// A debug log that writes to standard error; `nil` if nothing is to be told.
    ///
    /// If `level` is `nil`, `COFFER_SQL_DEBUG` of the environment says how much.
    static func toStandardError(level: Int?) -> SQLDebug? {
        let level = level ?? CurrentProcess.environment["COFFER_SQL_DEBUG"].flatMap { Int($0) } ?? 0
        guard level > 0 else { return nil }
        return SQLDebug(level: level) { entry in
            StandardError.say(entry.text)
        }
    }
}
