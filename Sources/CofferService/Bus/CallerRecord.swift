import CofferDBus

/// The process behind a name on the bus, for as long as a process has the name.
struct CallerRecord: Sendable {
    /// The sandbox of a process.
    enum Sandbox: Sendable {
        /// Not known yet: to find out, a file of the process is read, for which the connection's thread
        /// must not wait.
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

    /// The application of its sandbox; `nil` if it is in none.
    var application: String? {
        if case .application(let name) = sandbox { name } else { nil }
    }
}

extension DBusCredentials {
    /// The process; 0 if the bus does not tell it.
    var processID: Int32 { Int32(clamping: pid ?? 0) }

    /// The client that calls are counted for; calls of processes that the bus does not tell count as those
    /// of one client.
    func identity(sandbox: String?) -> ClientIdentity {
        ClientIdentity(userID: uid, processID: processID, sandbox: sandbox)
    }
}
