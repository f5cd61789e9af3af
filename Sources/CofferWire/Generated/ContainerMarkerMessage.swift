// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// That a container is here.
///
/// `coffer.v1.ContainerMarker`.
package struct ContainerMarkerMessage: Sendable, Equatable {
    /// The version of the format that its maker writes: 1 or more.
    package var format: UInt32
    /// The peer that made it.
    package var peer: UInt64
    /// When, in microseconds since 1970 by the maker's clock.
    package var time: Int64
    /// Whether the content was removed for good: nothing is to be put there again.
    package var isRemoved: Bool

    /// A message from its fields.
    package init(format: UInt32 = 1, peer: UInt64, time: Int64, isRemoved: Bool = false) {
        self.format = format
        self.peer = peer
        self.time = time
        self.isRemoved = isRemoved
    }
}

extension ContainerMarkerMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ContainerMarker>) {
        unsafe coffer__v1__container_marker__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ContainerMarker>) throws(WireError) {
        let c = unsafe message.pointee
        format = unsafe c.format
        peer = unsafe c.peer
        time = unsafe c.time
        isRemoved = unsafe c.removed != 0
    }

    func fill(_ c: inout Coffer__V1__ContainerMarker, in arena: inout PackArena) {
        unsafe c.format = format
        unsafe c.peer = peer
        unsafe c.time = time
        unsafe c.removed = isRemoved ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
