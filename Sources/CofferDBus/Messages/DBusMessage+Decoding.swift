import CDBus

extension DBusMessage {
    /// Reads the header of a message of libdbus, or `nil` if it is of no known kind.
    init?(headerOf pointer: OpaquePointer) {
        let code = unsafe dbus_message_get_type(pointer)
        guard let kind = UInt8(exactly: code).flatMap(Kind.init(rawValue:)) else { return nil }
        self.init(kind: kind)
        if unsafe dbus_message_get_no_reply(pointer) != 0 { flags.insert(.noReply) }
        if unsafe dbus_message_get_auto_start(pointer) == 0 { flags.insert(.noAutoStart) }
        if unsafe dbus_message_get_allow_interactive_authorization(pointer) != 0 {
            flags.insert(.allowInteractiveAuthorization)
        }
        serial = unsafe dbus_message_get_serial(pointer)
        replySerial = unsafe dbus_message_get_reply_serial(pointer)
        sender = unsafe DBusMessage.text(dbus_message_get_sender(pointer))
        destination = unsafe DBusMessage.text(dbus_message_get_destination(pointer))
        path = unsafe DBusMessage.text(dbus_message_get_path(pointer))
        interface = unsafe DBusMessage.text(dbus_message_get_interface(pointer))
        member = unsafe DBusMessage.text(dbus_message_get_member(pointer))
        errorName = unsafe DBusMessage.text(dbus_message_get_error_name(pointer))
    }

    /// Reads the body of a message of libdbus, which has validated it.
    ///
    /// - Throws: `DBusError.tooLarge` if it holds more than the limits allow; `.descriptorsRefused` if no
    ///   more of them can be open.
    static func body(of pointer: OpaquePointer) throws(DBusError) -> [DBusValue] {
        var iterator = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_init(pointer, &iterator) != 0 else { return [] }
        var reader = BodyReader()
        return try unsafe reader.values(of: &iterator)
    }

    private static func text(_ characters: UnsafePointer<CChar>?) -> String? {
        guard let characters = unsafe characters else { return nil }
        return unsafe String(cString: characters)
    }
}
