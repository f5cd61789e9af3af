import CofferDBus

/// A caller over the bus, before any session: what the bus vouches for.
struct BusCaller: Sendable {
    let busName: String
    let userID: UInt32
    let processID: Int32
    /// The application of the sandbox it runs in; then it sees that one's objects only.
    let sandbox: String?
    /// Whether it called on the bus that all users share.
    var isSystem = false
}

/// A typed interface of an object: introspection and dispatch both read it.
struct BusInterface<Target>: Sendable {
    /// A method for people.
    struct Method: Sendable {
        let description: DBusMethodDescription
        /// Acts and gives the reply's body; may block.
        let handle: @Sendable (Target, BusCaller, [DBusValue]) throws -> [DBusValue]

        init(
            _ name: String, in inputs: [DBusArgument] = [], out outputs: [DBusArgument] = [],
            _ documentation: String,
            handle: @escaping @Sendable (Target, BusCaller, [DBusValue]) throws -> [DBusValue]
        ) {
            description = DBusMethodDescription(name, in: inputs, out: outputs, documentation: documentation)
            self.handle = handle
        }
    }

    /// A property for people.
    struct Property: Sendable {
        let description: DBusPropertyDescription
        let value: @Sendable (Target) -> DBusValue

        init(
            _ name: String, _ signature: String, changes: DBusPropertyDescription.ChangeSignal,
            documentation: String, value: @escaping @Sendable (Target) -> DBusValue
        ) {
            description = DBusPropertyDescription(
                name, signature, changeSignal: changes, documentation: documentation)
            self.value = value
        }
    }

    let name: String
    let documentation: String
    var methods: [Method] = []
    var properties: [Property] = []
    /// Methods that are dispatched elsewhere, for introspection: the rpcs.
    var otherMethods: [DBusMethodDescription] = []
    var signals: [DBusSignalDescription] = []

    /// As introspection shows it.
    var description: DBusInterfaceDescription {
        DBusInterfaceDescription(
            name, methods: otherMethods + methods.map(\.description), signals: signals,
            properties: properties.map(\.description), documentation: documentation)
    }

    /// All properties of an object.
    func values(of target: Target) -> [String: DBusValue] {
        Dictionary(uniqueKeysWithValues: properties.map { ($0.description.name, $0.value(target)) })
    }
}

/// An interface bound to one object.
struct BoundInterface: Sendable {
    let description: DBusInterfaceDescription
    let values: @Sendable () -> [String: DBusValue]
    /// The method of a name; `nil` if there is none.
    let method: @Sendable (String) -> (@Sendable (BusCaller, [DBusValue]) throws -> [DBusValue])?

    init<Target: Sendable>(_ interface: BusInterface<Target>, _ target: Target) {
        description = interface.description
        values = { interface.values(of: target) }
        method = { name in
            guard let method = interface.methods.first(where: { $0.description.name == name }) else {
                return nil
            }
            return { caller, arguments in
                let expected = method.description.inputSignature
                let found = arguments.map(\.signature).joined()
                guard expected == found else {
                    throw BusCallError.wrongSignature(expected: expected, found: found)
                }
                return try method.handle(target, caller, arguments)
            }
        }
    }
}

/// Why a call for people could not be handled.
enum BusCallError: Error, CustomStringConvertible {
    case wrongSignature(expected: String, found: String)
    case invalidArgument(String)

    var description: String {
        switch self {
        case .wrongSignature(let expected, let found):
            "The arguments are '\(found)', expected are '\(expected)'."
        case .invalidArgument(let text): text
        }
    }
}
