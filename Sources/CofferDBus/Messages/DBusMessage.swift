/// One message of the bus, whole: header and body.
package struct DBusMessage: Sendable, Equatable {
    /// What a message is.
    package enum Kind: UInt8, Sendable {
        /// A call, answered by a return or an error unless it says otherwise.
        case methodCall = 1
        /// The answer to a call.
        case methodReturn
        /// The error that answers a call.
        case error
        /// An event, never answered.
        case signal
    }

    /// What a call asks for besides.
    package struct Flags: OptionSet, Sendable {
        /// The bits of the header.
        package let rawValue: UInt8
        /// Makes a set from the bits of the header.
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The caller reads no reply.
        package static let noReply = Flags(rawValue: 1)
        /// The bus shall not start anybody for this call.
        package static let noAutoStart = Flags(rawValue: 2)
        /// The caller waits while a person is asked for a password.
        package static let allowInteractiveAuthorization = Flags(rawValue: 4)
    }

    /// What the message is.
    package var kind: Kind
    /// What the caller asks for besides.
    package var flags: Flags = []
    /// The sender's number for this message; 0 until it is sent.
    package var serial: UInt32 = 0
    /// The number of the call that this answers; 0 if it answers no call.
    package var replySerial: UInt32 = 0
    /// The unique name of the sender; the bus writes it.
    package var sender: String?
    /// The name of the receiver; a signal without one is broadcast.
    package var destination: String?
    /// The object called, or which emitted the signal.
    package var path: String?
    /// The interface of the member.
    package var interface: String?
    /// The method or signal.
    package var member: String?
    /// The error's name.
    package var errorName: String?
    /// The arguments.
    package var body: [DBusValue] = []

    /// The signature of the body.
    package var signature: String { body.map(\.signature).joined() }

    /// Whether the sender waits for an answer to this message.
    package var expectsReply: Bool { kind == .methodCall && !flags.contains(.noReply) }
}

extension DBusMessage {
    /// A call of a method.
    package static func methodCall(
        to destination: String?, path: String, interface: String?, member: String, body: [DBusValue] = [],
        flags: Flags = []
    ) -> DBusMessage {
        var message = DBusMessage(kind: .methodCall)
        message.flags = flags
        message.destination = destination
        message.path = path
        message.interface = interface
        message.member = member
        message.body = body
        return message
    }

    /// A signal, to `destination` only if one is named, else to all connections that have a match for it.
    package static func signal(
        path: String, interface: String, member: String, body: [DBusValue] = [], to destination: String? = nil
    ) -> DBusMessage {
        var message = DBusMessage(kind: .signal)
        message.flags = .noReply
        message.destination = destination
        message.path = path
        message.interface = interface
        message.member = member
        message.body = body
        return message
    }

    /// The return that answers `call`.
    package static func reply(to call: DBusMessage, body: [DBusValue] = []) -> DBusMessage {
        var message = DBusMessage(kind: .methodReturn)
        message.flags = .noReply
        message.destination = call.sender
        message.replySerial = call.serial
        message.body = body
        return message
    }

    /// The error that answers `call`: a name for programs, and one text for people.
    ///
    /// GLib shows the text of a body with the signature 's' alone.
    package static func errorReply(
        to call: DBusMessage, name: String, message text: String
    ) -> DBusMessage {
        var message = DBusMessage.reply(to: call)
        message.kind = .error
        message.errorName = name
        message.body = [.string(text)]
        return message
    }
}

extension DBusMessage {
    /// The error that this message is, or `nil` if it is not an error.
    package var remoteError: DBusError? {
        guard kind == .error else { return nil }
        return .remote(
            name: errorName ?? DBusErrorName.failed, message: body.first?.stringValue ?? "")
    }

    /// Whether this is the named signal of the named interface.
    package func isSignal(_ interface: String, _ member: String) -> Bool {
        kind == .signal && self.interface == interface && self.member == member
    }

    /// The argument at `index`, as `read` finds it.
    ///
    /// - Throws: `DBusError.malformed` if there is none, or `read` finds another type.
    package func argument<Value>(_ index: Int, _ read: (DBusValue) -> Value?) throws(DBusError) -> Value {
        guard body.indices.contains(index), let value = read(body[index]) else {
            throw .malformed("argument \(index) of \(member ?? "a reply"), whose signature is '\(signature)'")
        }
        return value
    }
}

extension DBusMessage {
    /// What the call that this message answers came to.
    var outcome: Result<DBusMessage, DBusError> { remoteError.map(Result.failure) ?? .success(self) }

    /// Whether libdbus itself tells us that the bus is gone; a message of others has a sender.
    var isDisconnection: Bool { sender == nil && isSignal("org.freedesktop.DBus.Local", "Disconnected") }
}
