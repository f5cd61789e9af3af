internal import CCofferMessages

extension KeyReservation: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__KeyReservation>) {
        unsafe coffer__v1__key_reservation__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__KeyReservation>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(entity: Int(c.entity), count: Int(c.count))
    }

    func fill(_ c: inout Coffer__V1__KeyReservation, in arena: inout PackArena) {
        unsafe c.entity = UInt32(entity)
        unsafe c.count = UInt32(count)
    }
}

extension ReserveKeysRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ReserveKeysRequest>) {
        unsafe coffer__v1__reserve_keys_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ReserveKeysRequest>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            store: c.store,
            reservations: messages(
                c.reservations, c.n_reservations, "coffer.v1.ReserveKeysRequest.reservations"))
    }

    func fill(_ c: inout Coffer__V1__ReserveKeysRequest, in arena: inout PackArena) throws(WireError) {
        unsafe c.store = store
        try unsafe (c.n_reservations, c.reservations) = arena.list(reservations)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ReserveKeysReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ReserveKeysReply>) {
        unsafe coffer__v1__reserve_keys_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ReserveKeysReply>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(firstKeys: [Int64](copying: c.first_keys, count: c.n_first_keys))
    }

    func fill(_ c: inout Coffer__V1__ReserveKeysReply, in arena: inout PackArena) {
        unsafe (c.n_first_keys, c.first_keys) = arena.numbers(firstKeys)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
