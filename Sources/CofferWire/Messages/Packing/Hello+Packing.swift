internal import CCofferMessages

extension HelloRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__HelloRequest>) {
        unsafe coffer__v1__hello_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__HelloRequest>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            protocolVersion: c.`protocol`,
            application: c.application.text("coffer.v1.HelloRequest.application"),
            client: c.client.uuid("coffer.v1.HelloRequest.client"),
            processName: c.process_name.text("coffer.v1.HelloRequest.process_name"))
    }

    func fill(_ c: inout Coffer__V1__HelloRequest, in arena: PackArena) {
        unsafe c.`protocol` = protocolVersion
        unsafe c.application = arena.text(application)
        unsafe c.client = arena.uuid(client)
        unsafe c.process_name = arena.text(processName)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
