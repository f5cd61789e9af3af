// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import FoundationEssentials

/// First on every channel, and in OpenChannel's payload.
///
/// `coffer.v1.HelloRequest`.
package struct HelloRequestMessage: Sendable, Equatable {
    /// 1.
    package var protocolVersion: UInt32
    /// A reverse-DNS id; a sandboxed caller gets that of its sandbox instead.
    package var application: String
    /// 16 bytes: a UUID that the process makes when it starts.
    package var client: UUID
    /// What the process calls itself, for people.
    package var processName: String

    /// A message from its fields.
    package init(
        protocolVersion: UInt32 = HelloRequestMessage.protocolVersion, application: String, client: UUID,
        processName: String
    ) {
        self.protocolVersion = protocolVersion
        self.application = application
        self.client = client
        self.processName = processName
    }
}

extension HelloRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__HelloRequest>) {
        unsafe coffer__v1__hello_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__HelloRequest>) throws(WireError) {
        let c = unsafe message.pointee
        protocolVersion = unsafe c.`protocol`
        application = try unsafe c.application.text("coffer.v1.HelloRequest.application")
        client = try unsafe c.client.uuid("coffer.v1.HelloRequest.client")
        processName = try unsafe c.process_name.text("coffer.v1.HelloRequest.process_name")
    }

    func fill(_ c: inout Coffer__V1__HelloRequest, in arena: inout PackArena) {
        unsafe c.`protocol` = protocolVersion
        unsafe c.application = arena.text(application)
        unsafe c.client = arena.uuid(client)
        unsafe c.process_name = arena.text(processName)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
