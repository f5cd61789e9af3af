import CofferDBus

/// Who is behind a name on the bus, for as long as somebody has the name.
struct CallerRecord: Sendable {
    /// The sandbox of a process.
    enum Sandbox: Sendable {
        /// Nobody has looked yet: that reads a file of the process, for which the connection's thread must
        /// not wait.
        case unknown
        /// It runs in none.
        case none
        /// That of an application.
        case application(String)
    }

    /// What the bus vouches for.
    let credentials: DBusCredentials
    /// Its share in the workers.
    let share: WorkAccount
    /// Where it runs.
    let sandbox: Sandbox

    /// The application of its sandbox; `nil` where it is in none.
    var application: String? {
        if case .application(let name) = sandbox { name } else { nil }
    }
}

extension DBusCredentials {
    /// The process; 0 where the bus does not tell it.
    var processID: Int32 { Int32(clamping: pid ?? 0) }

    /// Whom calls are counted for; those of whose processes the bus says nothing are one.
    func identity(sandbox: String?) -> ClientIdentity {
        ClientIdentity(userID: uid, processID: processID, sandbox: sandbox)
    }
}
