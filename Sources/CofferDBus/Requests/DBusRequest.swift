/// One question to the bus itself, and how its answer is read.
///
/// Ask it through a connection, a client, or on a connection's thread: `try client.ask(.owner(of: name))`.
package struct DBusRequest<Reply>: Sendable {
    let message: DBusMessage
    let read: @Sendable (DBusMessage) throws(DBusError) -> Reply

    init(
        _ member: String, _ body: [DBusValue] = [], interface: String = DBusName.bus,
        read: @escaping @Sendable (DBusMessage) throws(DBusError) -> Reply
    ) {
        message = .methodCall(
            to: DBusName.bus, path: DBusName.busPath, interface: interface, member: member, body: body)
        self.read = read
    }

    func result(of call: Result<DBusMessage, DBusError>) -> Result<Reply, DBusError> {
        do throws(DBusError) {
            return .success(try read(call.get()))
        } catch {
            return .failure(error)
        }
    }
}

extension DBusRequest where Reply == DBusNameResult {
    /// Asks for a well-known name.
    package static func requestName(_ name: String, flags: DBusNameFlags = .doNotQueue) -> DBusRequest {
        DBusRequest("RequestName", [.string(name), .uint32(flags.rawValue)]) { reply throws(DBusError) in
            try reply.argument(0) { $0.uint32Value.flatMap(DBusNameResult.init(rawValue:)) }
        }
    }
}

extension DBusRequest where Reply == DBusReleaseResult {
    /// Gives a well-known name back.
    package static func releaseName(_ name: String) -> DBusRequest {
        DBusRequest("ReleaseName", [.string(name)]) { reply throws(DBusError) in
            try reply.argument(0) { $0.uint32Value.flatMap(DBusReleaseResult.init(rawValue:)) }
        }
    }
}

extension DBusRequest where Reply == Void {
    /// Subscribes to what matches `rule`; each must be removed as often as it was added.
    package static func addMatch(_ rule: DBusMatch) -> DBusRequest {
        DBusRequest("AddMatch", [.string(rule.text)]) { _ throws(DBusError) in }
    }

    /// Ends a subscription.
    package static func removeMatch(_ rule: DBusMatch) -> DBusRequest {
        DBusRequest("RemoveMatch", [.string(rule.text)]) { _ throws(DBusError) in }
    }

    /// Answers once the bus has read what was sent before.
    package static var ping: DBusRequest {
        DBusRequest("Ping", interface: "org.freedesktop.DBus.Peer") { _ throws(DBusError) in }
    }
}

extension DBusRequest where Reply == String {
    /// The unique name that owns `name`; `isNameNotOwned` holds for the error if it has no owner.
    package static func owner(of name: String) -> DBusRequest {
        DBusRequest("GetNameOwner", [.string(name)]) { reply throws(DBusError) in
            try reply.argument(0, \.stringValue)
        }
    }
}

extension DBusRequest where Reply == [String] {
    /// All names that have an owner.
    package static var names: DBusRequest {
        DBusRequest("ListNames") { reply throws(DBusError) in try reply.argument(0, \.stringValues) }
    }
}
