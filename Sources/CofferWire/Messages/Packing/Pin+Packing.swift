internal import CCofferMessages

extension PinRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__PinRequest>) {
        unsafe coffer__v1__pin_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__PinRequest>) throws(WireError) {
        unsafe self.init(store: message.pointee.store)
    }

    func fill(_ c: inout Coffer__V1__PinRequest, in arena: inout PackArena) { unsafe c.store = store }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension PinReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__PinReply>) {
        unsafe coffer__v1__pin_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__PinReply>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(generation: c.generation, number: c.number)
    }

    func fill(_ c: inout Coffer__V1__PinReply, in arena: inout PackArena) {
        unsafe c.generation = generation
        unsafe c.number = number
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
