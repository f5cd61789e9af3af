package import CofferLinux

/// Why something on the bus failed; nothing was sent unless the case says otherwise.
package enum DBusError: Error, Equatable, Sendable {
    /// No bus answers at `address`: start one, or correct the address.
    case connectFailed(address: String, message: String)
    /// The bus is gone, or the connection was closed: connect again; calls under way may have been executed.
    case disconnected
    /// The callee or the bus answered with an error: see `DBusErrorName` for the common names.
    case remote(name: String, message: String)
    /// No reply within the time: the call may yet be executed.
    case timeout(milliseconds: Int)
    /// What arrived does not have the expected shape; the text says what was expected.
    case malformed(String)
    /// Not a bus, interface, member or error name.
    case invalidName(String)
    /// Not an object path.
    case invalidPath(String)
    /// Not a signature, or not one of a single complete type although one is needed.
    case invalidSignature(String)
    /// A value that D-Bus cannot carry: text with a NUL, or an element unlike its container's signature.
    case invalidValue(String)
    /// A limit of `Limits` was passed; the text names it.
    case tooLarge(String)
    /// This transport carries no descriptors, or no more of them can be open in this process.
    case descriptorsRefused
    /// libdbus found no memory.
    case outOfMemory
    /// The kernel refused a thread or a descriptor.
    case system(LinuxError)
}

extension DBusError {
    init(_ error: LinuxError) { self = .system(error) }

    /// Whether no connection owns the name that was called or asked about, and no service can be activated
    /// for it.
    package var isNameNotOwned: Bool {
        guard case .remote(let name, _) = self else { return false }
        return name == DBusErrorName.serviceUnknown || name == DBusErrorName.nameHasNoOwner
    }
}

extension DBusError: CustomStringConvertible {
    /// What happened, as a sentence begins.
    package var description: String {
        switch self {
        case .connectFailed(let address, let message):
            "no bus answers at '\(address)' (\(message)): start one, or correct the address"
        case .disconnected: "the bus is gone, or has closed the connection"
        case .remote(let name, let message): "\(name): \(message)"
        case .timeout(let milliseconds): "no answer came within \(milliseconds) ms"
        case .malformed(let text): "what arrived is malformed: \(text)"
        case .invalidName(let name):
            "'\(name)' is not a valid name of a bus, an interface, a member or an error"
        case .invalidPath(let path): "'\(path)' is not the path of an object"
        case .invalidSignature(let signature): "'\(signature)' is not a valid signature of one complete type"
        case .invalidValue(let text): "D-Bus cannot carry a value: \(text)"
        case .tooLarge(let text): "too large: \(text)"
        case .descriptorsRefused: "no descriptors can be taken, or no more of them"
        case .outOfMemory: "libdbus found no memory"
        case .system(let error): "\(error)"
        }
    }
}

/// Names of errors that the bus and every service use.
package enum DBusErrorName {
    /// No connection owns the called name, and no service file names it.
    package static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
    /// No connection owns the name that was asked about.
    package static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
    /// The callee went away before it answered.
    package static let noReply = "org.freedesktop.DBus.Error.NoReply"
    /// The interface has no such method.
    package static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    /// There is no such object.
    package static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
    /// The object has no such interface.
    package static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
    /// The interface has no such property.
    package static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
    /// The property cannot be set.
    package static let propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
    /// The arguments have the wrong types or values.
    package static let invalidArgs = "org.freedesktop.DBus.Error.InvalidArgs"
    /// The caller may not do this.
    package static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    /// The caller asked for more than it may hold.
    package static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    /// Anything else.
    package static let failed = "org.freedesktop.DBus.Error.Failed"
}
