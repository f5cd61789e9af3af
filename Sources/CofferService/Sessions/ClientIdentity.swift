/// The owner that bounds are counted for: making more connections, or taking another name, does not raise
/// them.
package enum ClientIdentity: Hashable, Sendable {
    /// A process, with all its connections and channels.
    case process(userID: UInt32, processID: Int32)
    /// An application in a sandbox: each of its instances reaches the bus through a proxy of its own, and
    /// instances cost it nothing.
    case sandbox(userID: UInt32, application: String)

    /// The identity of a process; that of its sandbox's application if it runs in a sandbox.
    package init(userID: UInt32, processID: Int32, sandbox: String?) {
        self =
            sandbox.map { .sandbox(userID: userID, application: $0) }
            ?? .process(userID: userID, processID: processID)
    }

    /// The user.
    package var userID: UInt32 {
        switch self {
        case .process(let userID, _), .sandbox(let userID, _): userID
        }
    }
}

extension Caller {
    /// The client that its sessions are counted for.
    package var identity: ClientIdentity {
        ClientIdentity(
            userID: userID, processID: processID, sandbox: isSandboxed ? application : nil)
    }
}

extension BusCaller {
    /// The client that its calls are counted for.
    var identity: ClientIdentity {
        ClientIdentity(userID: userID, processID: processID, sandbox: sandbox)
    }
}
