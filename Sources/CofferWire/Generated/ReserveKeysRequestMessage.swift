// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Gives out primary keys for objects that later saves insert.
///
/// No key is given out twice, whatever becomes of it; a request that is sent again, or whose keys stay
/// unused, leaves a gap and does no harm.
///
/// `coffer.v1.ReserveKeysRequest`.
package struct ReserveKeysRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// One for each leaf entity.
    package var reservations: [KeyReservation]

    /// A message from its fields.
    package init(store: UInt32, reservations: [KeyReservation]) {
        self.store = store
        self.reservations = reservations
    }
}

extension ReserveKeysRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ReserveKeysRequest>) {
        unsafe coffer__v1__reserve_keys_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ReserveKeysRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
        reservations = try unsafe messages(
            c.reservations, count: c.n_reservations, field: "coffer.v1.ReserveKeysRequest.reservations")
    }

    func fill(_ c: inout Coffer__V1__ReserveKeysRequest, in arena: inout PackArena) throws(WireError) {
        unsafe c.store = store
        try unsafe (c.n_reservations, c.reservations) = arena.list(reservations)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
