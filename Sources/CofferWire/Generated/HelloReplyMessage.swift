// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import FoundationEssentials

/// What the service says of itself, and of the caller as it sees it.
///
/// `coffer.v1.HelloReply`.
package struct HelloReplyMessage: Sendable, Equatable {
    /// The version that is spoken: 1.
    package var protocolVersion: UInt32
    /// For people, `1.0`.
    package var serviceVersion: String
    /// As the service sees it.
    package var application: String
    /// 16 bytes: differs for each start of the service.
    package var service: UUID
    /// Bytes.
    package var frameLimit: UInt32
    /// The memory that came with the request is used from now on: see channel.proto.
    package var sharesMemory: Bool

    /// A message from its fields.
    package init(
        protocolVersion: UInt32 = HelloRequestMessage.protocolVersion, serviceVersion: String,
        application: String, service: UUID, frameLimit: UInt32, sharesMemory: Bool = false
    ) {
        self.protocolVersion = protocolVersion
        self.serviceVersion = serviceVersion
        self.application = application
        self.service = service
        self.frameLimit = frameLimit
        self.sharesMemory = sharesMemory
    }
}

extension HelloReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__HelloReply>) {
        unsafe coffer__v1__hello_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__HelloReply>) throws(WireError) {
        let c = unsafe message.pointee
        protocolVersion = unsafe c.`protocol`
        serviceVersion = try unsafe c.service_version.text("coffer.v1.HelloReply.service_version")
        application = try unsafe c.application.text("coffer.v1.HelloReply.application")
        service = try unsafe c.service.uuid("coffer.v1.HelloReply.service")
        frameLimit = unsafe c.frame_limit
        sharesMemory = unsafe c.hands_over != 0
    }

    func fill(_ c: inout Coffer__V1__HelloReply, in arena: inout PackArena) {
        unsafe c.`protocol` = protocolVersion
        unsafe c.service_version = arena.text(serviceVersion)
        unsafe c.application = arena.text(application)
        unsafe c.service = arena.uuid(service)
        unsafe c.frame_limit = frameLimit
        unsafe c.hands_over = sharesMemory ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
