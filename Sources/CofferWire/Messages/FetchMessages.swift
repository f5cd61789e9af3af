package import CofferModel

/// `coffer.v1.FetchRequest`.
package struct FetchRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// The pinned state to read; 0 for the present one.
    package var generation: UInt64
    /// What is asked for.
    package var fetch: FetchDescription
    /// Whether the client keeps none of the rows, so that pushes need not carry their values.
    package var withoutHolding: Bool
    /// The place in the application that fetches, for traces and logs.
    package var label: String
    /// Whether only keys and versions of objects are answered, while the service keeps their rows for the
    /// client.
    package var withoutValues: Bool
}

extension FetchRequestMessage {
    /// A request from its fields; a field that is left out has its default.
    package init(
        store: UInt32, fetch: FetchDescription, withoutHolding: Bool = false, label: String = "",
        withoutValues: Bool = false, generation: UInt64 = 0
    ) {
        // By way of the initialiser for all members: one that fills them in turn ends with a copy of the
        // whole.
        self.init(
            store: store, generation: generation, fetch: fetch, withoutHolding: withoutHolding, label: label,
            withoutValues: withoutValues)
    }
}

/// `coffer.v1.RowsRequest`: rows by id.
package struct RowsRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// Any entity of the inheritance tree.
    package var entity: Int
    /// Which rows.
    package var primaryKeys: [Int64]
    /// Whether the client keeps none of the rows.
    package var withoutHolding: Bool
    /// Milliseconds that may have passed since the rows were read from the file; `nil`: any age will do.
    package var maximumAge: UInt64?
    /// The pinned state to read; 0 for the present one.
    package var generation: UInt64
    /// Whether values of attributes that allow external storage stay out, whose files then need not be read.
    package var withoutExternalValues: Bool

    /// A request from its fields; a field that is left out has its default.
    package init(
        store: UInt32, entity: Int, primaryKeys: [Int64], withoutHolding: Bool = false,
        maximumAge: UInt64? = nil, generation: UInt64 = 0, withoutExternalValues: Bool = false
    ) {
        self.withoutExternalValues = withoutExternalValues
        self.generation = generation
        self.store = store
        self.entity = entity
        self.primaryKeys = primaryKeys
        self.withoutHolding = withoutHolding
        self.maximumAge = maximumAge
    }
}

/// `coffer.v1.ReleaseRequest`: the client no longer holds these rows.
package struct ReleaseRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave; 0 if only the contexts are told.
    package var store: UInt32
    /// Any entity of the inheritance tree.
    package var entity: Int
    /// Which rows.
    package var primaryKeys: [Int64]
    /// How many contexts more the client has than it said before; fewer if below 0.
    package var contexts: Int32
    /// A pinned state that is needed no longer; 0 for none.
    package var generation: UInt64

    /// A request from its fields; a field that is left out has its default.
    package init(
        store: UInt32 = 0, entity: Int = 0, primaryKeys: [Int64] = [], contexts: Int32 = 0,
        generation: UInt64 = 0
    ) {
        self.generation = generation
        self.store = store
        self.entity = entity
        self.primaryKeys = primaryKeys
        self.contexts = contexts
    }
}

extension FetchReplyMessage {
    /// The reply with keys and versions only.
    ///
    /// - Throws: `WireError.tooLarge` if there is no memory.
    package func withoutValues() throws(WireError) -> FetchReplyMessage {
        FetchReplyMessage(number: number, count: count, rows: try rows?.withoutColumns())
    }
}
