extension PushMessage {
    /// The raw values travel.
    package typealias Kind = PushKind

    /// Why, if the store has a ubiquitous content name and its content follows an account.
    package var transition: StoreTransitionMessage? {
        transitionKind.map { StoreTransitionMessage(kind: $0, question: question) }
    }

    /// A push that a store did change; a field that is left out has its default.
    package init(
        kind: Kind, store: UInt32, number: UInt64, previous: UInt64, isRemoved: Bool = false,
        moved: CopiedStoreMessage? = nil, isUnchanged: Bool = false, transition: StoreTransitionMessage?
    ) {
        self.init(
            kind: kind, store: store, number: number, previous: previous, isRemoved: isRemoved, moved: moved,
            isUnchanged: isUnchanged, transitionKind: transition?.kind, question: transition?.question ?? 0)
    }
}

extension PushMessage {
    /// The push, packed, around a transaction that is packed already, since other clients are told it too.
    ///
    /// - Throws: `WireError.tooLarge` if it would not fit into a frame.
    package func packed(with transaction: [UInt8]) throws(WireError) -> [UInt8] {
        try FieldWriter.pack(about: transaction.count + 40) { writer throws(WireError) in
            writer.put(1, number: UInt64(kind.rawValue))
            writer.put(2, number: UInt64(store))
            writer.put(3, number: number)
            writer.put(4, number: previous)
            writer.always(5, bytes: transaction)
            guard writer.count <= Limits.frame else {
                throw .tooLarge(what: "coffer.v1.Push", byteCount: writer.count, limit: Limits.frame)
            }
        }
    }
}
