package import FoundationEssentials

/// A caller: what the bus vouches for, and what the caller says of itself.
package struct Caller: Sendable, Hashable {
    /// The user, by the bus.
    package var userID: UInt32
    /// The process, by the bus; no identity, since numbers are used again.
    package var processID: Int32
    /// The unique name on the bus.
    package var busName: String
    /// The application: that of the sandbox if there is one, else what Hello says.
    package var application: String
    /// Whether the application comes from a sandbox, and so is all the caller may touch.
    package var isSandboxed: Bool
    /// The process's UUID, by Hello.
    package var client: UUID
    /// The process's name, by Hello.
    package var processName: String

    /// A caller from the credentials that the bus vouches for, and from what it says of itself.
    package init(
        userID: UInt32, processID: Int32, busName: String, application: String, isSandboxed: Bool,
        client: UUID,
        processName: String
    ) {
        self.userID = userID
        self.processID = processID
        self.busName = busName
        self.application = application
        self.isSandboxed = isSandboxed
        self.client = client
        self.processName = processName
    }
}
