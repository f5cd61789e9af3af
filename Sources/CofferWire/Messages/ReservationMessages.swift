/// `coffer.v1.KeyReservation`: how many keys are wanted for objects of one leaf entity.
package struct KeyReservation: Sendable, Equatable {
    /// The leaf entity.
    package var entity: Int
    /// How many objects.
    package var count: Int

    /// A reservation from its fields.
    package init(entity: Int, count: Int) {
        self.entity = entity
        self.count = count
    }
}

/// `coffer.v1.ReserveKeysRequest`: asks for primary keys of objects that later saves insert.
package struct ReserveKeysRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// What is wanted.
    package var reservations: [KeyReservation]

    /// A request from its fields.
    package init(store: UInt32, reservations: [KeyReservation]) {
        self.store = store
        self.reservations = reservations
    }
}

/// `coffer.v1.ReserveKeysReply`.
package struct ReserveKeysReplyMessage: Sendable, Equatable {
    /// For each reservation the first key; the others follow without gap.
    package var firstKeys: [Int64]

    /// A reply from its fields.
    package init(firstKeys: [Int64]) { self.firstKeys = firstKeys }
}
