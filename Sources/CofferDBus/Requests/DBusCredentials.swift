package import CofferLinux

/// The user and the process behind a name, as the bus saw them when that process connected.
package struct DBusCredentials: Sendable, Equatable {
    /// The user.
    package var uid: UInt32
    /// The process; it may be gone and its number another's by now.
    package var pid: UInt32?
    /// All groups of the user, if the bus tells them.
    package var gids: [UInt32]?
    /// The label of the security module (AppArmor, SELinux), without its closing NUL.
    package var securityLabel: [UInt8]?
    /// A descriptor of the process, from buses newer than Debian 12's; it names that process for ever.
    package var processFD: OwnedDescriptor?

    /// Makes credentials, for tests and for callers that come by other ways.
    package init(
        uid: UInt32, pid: UInt32? = nil, gids: [UInt32]? = nil, securityLabel: [UInt8]? = nil,
        processFD: OwnedDescriptor? = nil
    ) {
        self.uid = uid
        self.pid = pid
        self.gids = gids
        self.securityLabel = securityLabel
        self.processFD = processFD
    }

    /// Whether all fields are equal, and both have one and the same descriptor.
    package static func == (left: DBusCredentials, right: DBusCredentials) -> Bool {
        left.uid == right.uid && left.pid == right.pid && left.gids == right.gids
            && left.securityLabel == right.securityLabel && left.processFD === right.processFD
    }
}

extension DBusRequest where Reply == DBusCredentials {
    /// The credentials of the process behind `name`.
    ///
    /// The answer is `DBusError.malformed` if the bus does not tell the user: no such caller can be trusted.
    package static func credentials(of name: String) -> DBusRequest {
        DBusRequest("GetConnectionCredentials", [.string(name)]) { reply throws(DBusError) in
            let values = try reply.argument(0, \.propertyValues)
            guard let uid = values["UnixUserID"]?.uint32Value else {
                throw .malformed("credentials with UnixUserID")
            }
            return DBusCredentials(
                uid: uid, pid: values["ProcessID"]?.uint32Value,
                gids: values["UnixGroupIDs"]?.elements?.compactMap(\.uint32Value),
                securityLabel: values["LinuxSecurityLabel"]?.bytesValue.map { Array($0.prefix { $0 != 0 }) },
                processFD: values["ProcessFD"]?.descriptorValue)
        }
    }
}
