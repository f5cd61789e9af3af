internal import CLinux

/// Tells the service manager how the service is doing; the protocol of `sd_notify(3)`.
package struct Notify: Sendable {
    /// What the manager is told.
    package enum Message: Equatable, Sendable {
        /// The service serves.
        case ready
        /// The service ends.
        case stopping
        /// One line for people.
        case status(String)

        var text: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .status(let text):
                // A line break would begin another message.
                "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
            }
        }
    }

    private let address: String?

    /// A way to the manager that `NOTIFY_SOCKET` in `environment` names; without that variable it leads
    /// nowhere.
    package init(environment: [String: String] = CurrentProcess.environment) {
        address = environment["NOTIFY_SOCKET"]
    }

    /// Sends `messages` as one datagram; says whether there is a manager to send to.
    ///
    /// - Throws: `.invalidPath` if the address is neither absolute nor abstract.
    @discardableResult
    package func send(_ messages: Message...) throws(LinuxError) -> Bool {
        guard let address, !address.isEmpty else { return false }
        guard address.hasPrefix("/") || address.hasPrefix("@") else {
            throw .invalidPath(address, reason: .notAbsolute)
        }
        let text = messages.map(\.text).joined(separator: "\n")
        let count = min(text.utf8.count, Limits.notification)
        try check(
            unsafe coffer_notify(address, address.utf8.count, text, count), "sendto(NOTIFY_SOCKET)",
            path: address)
        return true
    }
}
