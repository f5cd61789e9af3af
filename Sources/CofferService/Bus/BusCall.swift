import CofferDBus

/// A call of an rpc over the bus, as its answer needs it.
///
/// It carries what was counted for it, since its serial does not tell: a client may give one to two calls at
/// once. It has none of the call's arguments, whose descriptors would stay open until the answer.
struct BusCall: Sendable {
    /// The call without its arguments.
    let header: DBusMessage
    /// Bytes of the request, which its client's budget counts until the call is answered.
    let byteCount: Int

    /// The call that a message makes.
    init(_ message: DBusMessage, _ payload: RequestPayload) {
        var header = message
        header.body = []
        self.header = header
        byteCount = payload.byteCount
    }
}
