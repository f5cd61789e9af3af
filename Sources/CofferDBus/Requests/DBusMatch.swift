/// Which messages the bus shall deliver besides those addressed to us; what is `nil` is not looked at.
package struct DBusMatch: Sendable, Hashable {
    /// The kind of message; `nil` is every kind.
    package var kind: DBusMessage.Kind? = .signal
    /// Unique or well-known name of the sender.
    package var sender: String?
    /// The interface.
    package var interface: String?
    /// The signal.
    package var member: String?
    /// The object.
    package var path: String?
    /// The object or any below it; not together with `path`.
    package var pathNamespace: String?
    /// The first argument, a text.
    package var firstArgument: String?
    /// The third argument, a text.
    package var thirdArgument: String?

    /// Makes a rule for signals.
    package init(
        sender: String? = nil, interface: String? = nil, member: String? = nil, path: String? = nil,
        pathNamespace: String? = nil, firstArgument: String? = nil, thirdArgument: String? = nil
    ) {
        self.sender = sender
        self.interface = interface
        self.member = member
        self.path = path
        self.pathNamespace = pathNamespace
        self.firstArgument = firstArgument
        self.thirdArgument = thirdArgument
    }

    /// The rule for changes of the owner of `name`.
    package static func nameOwnerChanged(_ name: String) -> DBusMatch {
        DBusMatch(
            sender: DBusName.bus, interface: DBusName.bus, member: "NameOwnerChanged", path: DBusName.busPath,
            firstArgument: name)
    }

    /// The rule for all names that no longer have an owner.
    package static var nameVanished: DBusMatch {
        DBusMatch(
            sender: DBusName.bus, interface: DBusName.bus, member: "NameOwnerChanged", path: DBusName.busPath,
            thirdArgument: "")
    }

    /// The rule as the bus reads it; the bus takes 1,024 bytes.
    package var text: String {
        let parts = [
            ("type", kind?.matchName), ("sender", sender), ("interface", interface), ("member", member),
            ("path", path), ("path_namespace", pathNamespace), ("arg0", firstArgument),
            ("arg2", thirdArgument),
        ]
        return parts.compactMap { key, value in value.map { "\(key)='\(DBusMatch.quote($0))'" } }
            .joined(separator: ",")
    }

    /// An apostrophe ends the quotation, stands behind a backslash, and begins it again.
    private static func quote(_ value: String) -> String {
        value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
    }
}

extension DBusMessage.Kind {
    fileprivate var matchName: String {
        switch self {
        case .methodCall: "method_call"
        case .methodReturn: "method_return"
        case .error: "error"
        case .signal: "signal"
        }
    }
}
