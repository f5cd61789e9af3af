// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Over D-Bus only (a channel watches with OpenStore): pushes come as unicast signals Push(ay).
///
/// `coffer.v1.WatchRequest`.
package struct WatchRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// No more pushes.
    package var isStop: Bool

    /// A message from its fields.
    package init(store: UInt32, isStop: Bool = false) {
        self.store = store
        self.isStop = isStop
    }
}

extension WatchRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__WatchRequest>) {
        unsafe coffer__v1__watch_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__WatchRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
        isStop = unsafe c.stop != 0
    }

    func fill(_ c: inout Coffer__V1__WatchRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.stop = isStop ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
