import CofferDBus

/// Who is behind a name on the bus, for as long as somebody has the name.
struct KnownCaller: Sendable {
    /// What the bus vouches for.
    let credentials: DBusCredentials
    /// Its share in the workers.
    let share: WorkShare
}

extension DBusCredentials {
    /// The process; 0 where the bus does not tell it.
    var processID: Int32 { Int32(clamping: pid ?? 0) }
}
