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

/// `coffer.v1.FetchReply`.
package struct FetchReplyMessage: Sendable, Equatable {
    /// The transaction number that the rows belong to.
    package var number: UInt64
    /// How many objects fit, or rows there are.
    package var count: UInt64
    /// The rows; `nil` for a count.
    package var rows: PackedRows?

    /// A reply from its fields.
    package init(number: UInt64, count: UInt64, rows: PackedRows?) {
        self.number = number
        self.count = count
        self.rows = rows
    }

    /// The reply with keys and versions only.
    ///
    /// - Throws: `WireError.tooLarge` where there is no memory.
    package func withoutValues() throws(WireError) -> FetchReplyMessage {
        FetchReplyMessage(number: number, count: count, rows: try rows?.withoutColumns())
    }
}

/// `coffer.v1.ExplainReply`: how a fetch is carried out.
package struct ExplainReplyMessage: Sendable, Equatable {
    /// The SQL, with `?` for each value.
    package var sql: String
    /// SQLite's plan, a line for each step.
    package var plan: [String]

    /// A reply from its fields.
    package init(sql: String, plan: [String]) {
        self.sql = sql
        self.plan = plan
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

/// `coffer.v1.RowsReply`: the rows that exist, one batch for each leaf entity that occurs.
package struct RowsReplyMessage: Sendable, Equatable {
    /// The transaction number that the rows belong to.
    package var number: UInt64
    /// One batch for each leaf entity that occurs.
    package var batches: [PackedRows]

    /// A reply from its fields.
    package init(number: UInt64, batches: [PackedRows]) {
        self.number = number
        self.batches = batches
    }
}

/// `coffer.v1.RelationshipRequest`: the objects at the other end of a to-many relationship, for several
/// owners at once.
package struct RelationshipRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// The owners' entity.
    package var entity: Int
    /// Index of the relationship in the entity.
    package var property: Int
    /// The owners.
    package var primaryKeys: [Int64]
    /// Whether the objects' rows come along, which the client then holds.
    package var withRows: Bool
    /// The pinned state to read; 0 for the present one.
    package var generation: UInt64
    /// Whether values of attributes that allow external storage stay out of the rows.
    package var withoutExternalValues: Bool

    /// A request from its fields; a field that is left out has its default.
    package init(
        store: UInt32, entity: Int, property: Int, primaryKeys: [Int64], withRows: Bool = false,
        generation: UInt64 = 0, withoutExternalValues: Bool = false
    ) {
        self.withoutExternalValues = withoutExternalValues
        self.generation = generation
        self.store = store
        self.entity = entity
        self.property = property
        self.primaryKeys = primaryKeys
        self.withRows = withRows
    }
}

/// `coffer.v1.RelationshipReply`.
package struct RelationshipReplyMessage: Sendable, Equatable {
    /// The transaction number that the answer belongs to.
    package var number: UInt64
    /// The objects of owner `i` end before `ends[i]`, and begin where those of owner `i - 1` end.
    package var ends: [UInt32]
    /// The objects.
    package var primaryKeys: [Int64]
    /// The leaf entity of each object.
    package var entities: [UInt32]
    /// The objects' rows, each once, one batch for each leaf entity that occurs; none where they were not
    /// asked for.
    package var batches: [PackedRows]

    /// A reply from its fields; a field that is left out has its default.
    package init(
        number: UInt64, ends: [UInt32], primaryKeys: [Int64], entities: [UInt32], batches: [PackedRows] = []
    ) {
        self.number = number
        self.ends = ends
        self.primaryKeys = primaryKeys
        self.entities = entities
        self.batches = batches
    }
}

/// `coffer.v1.ReleaseRequest`: the client no longer holds these rows.
package struct ReleaseRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave; 0 where only the contexts are told.
    package var store: UInt32
    /// Any entity of the inheritance tree.
    package var entity: Int
    /// Which rows.
    package var primaryKeys: [Int64]
    /// How many contexts more the client has than it said before; fewer where below 0.
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

/// `coffer.v1.PinRequest`: keeps the present state of a store readable.
package struct PinRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32

    /// A request from its fields.
    package init(store: UInt32) { self.store = store }
}

/// `coffer.v1.PinReply`.
package struct PinReplyMessage: Sendable, Equatable {
    /// What requests call the state by.
    package var generation: UInt64
    /// The last transaction in it.
    package var number: UInt64

    /// A reply from its fields.
    package init(generation: UInt64, number: UInt64) {
        self.generation = generation
        self.number = number
    }
}
