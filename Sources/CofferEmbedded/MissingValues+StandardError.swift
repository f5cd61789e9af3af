import CofferLinux
import CofferStores

extension MissingValues {
    /// Writes to standard error of which objects values are told as null, since their files are missing.
    static func toStandardError() -> MissingValues {
        MissingValues { value in
            // A user who closed standard error wants to see nothing.
            StandardError.say("coffer: \(value)")
        }
    }
}
