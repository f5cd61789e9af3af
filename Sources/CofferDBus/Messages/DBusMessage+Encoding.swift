import CDBus

extension DBusMessage {
    /// Writes the message as libdbus holds it, having checked all that libdbus would abort the process for.
    func encoded() throws(DBusError) -> EncodedMessage {
        try checkHeader()
        try checkBody()
        guard let pointer = unsafe dbus_message_new(Int32(kind.rawValue)) else { throw .outOfMemory }
        let message = unsafe EncodedMessage(owning: pointer)
        guard unsafe writeHeader(to: pointer) else { throw .outOfMemory }
        var writer = BodyWriter()
        var iterator = unsafe DBusMessageIter()
        unsafe dbus_message_iter_init_append(pointer, &iterator)
        for value in body { try unsafe writer.append(value, to: &iterator, depth: 0) }
        return message
    }

    private func checkHeader() throws(DBusError) {
        if let destination, !DBusName.isBusName(destination) { throw .invalidName(destination) }
        if let path, !DBusPath.isValid(path) { throw .invalidPath(path) }
        if let interface, !DBusName.isInterface(interface) { throw .invalidName(interface) }
        if let member, !DBusName.isMember(member) { throw .invalidName(member) }
        if let errorName, !DBusName.isError(errorName) { throw .invalidName(errorName) }
        let isComplete =
            switch kind {
            case .methodCall: path != nil && member != nil
            case .signal: path != nil && interface != nil && member != nil
            case .methodReturn: replySerial != 0
            case .error: replySerial != 0 && errorName != nil
            }
        guard isComplete else { throw .malformed("a header with all fields of a \(kind)") }
    }

    private func checkBody() throws(DBusError) {
        let signature = signature
        guard signature.utf8.count <= Limits.signatureByteCount else {
            throw .tooLarge("signature, at most \(Limits.signatureByteCount) bytes")
        }
        guard DBusSignature.isValid(signature) else { throw .invalidSignature(signature) }
    }

    /// False if memory ran out.
    private func writeHeader(to pointer: OpaquePointer) -> Bool {
        unsafe dbus_message_set_no_reply(pointer, flags.contains(.noReply) ? 1 : 0)
        unsafe dbus_message_set_auto_start(pointer, flags.contains(.noAutoStart) ? 0 : 1)
        let isInteractive = flags.contains(.allowInteractiveAuthorization)
        unsafe dbus_message_set_allow_interactive_authorization(pointer, isInteractive ? 1 : 0)
        if replySerial != 0, unsafe dbus_message_set_reply_serial(pointer, replySerial) == 0 { return false }
        if let destination, unsafe dbus_message_set_destination(pointer, destination) == 0 { return false }
        if let path, unsafe dbus_message_set_path(pointer, path) == 0 { return false }
        if let interface, unsafe dbus_message_set_interface(pointer, interface) == 0 { return false }
        if let member, unsafe dbus_message_set_member(pointer, member) == 0 { return false }
        if let errorName, unsafe dbus_message_set_error_name(pointer, errorName) == 0 { return false }
        return true
    }
}
