/// `coffer.v1.FetchReply`, as stores make and contexts read it.
package struct FetchedRows: Sendable {
    /// The transaction number that the rows belong to.
    package var number: UInt64
    /// How many objects fit, or rows there are.
    package var count: UInt64
    /// The rows; `nil` for a count.
    package var rows: PackedRows?

    /// A reply as given.
    package init(number: UInt64, count: UInt64, rows: PackedRows?) {
        self.number = number
        self.count = count
        self.rows = rows
    }

    /// The reply, its rows laid out anew.
    ///
    /// - Throws: `WireError.malformed` where its columns have not one value for each row.
    package init(_ reply: FetchReplyMessage) throws(WireError) {
        self.init(number: reply.number, count: reply.count, rows: nil)
        if let batch = reply.rows { rows = try PackedRows(batch) }
    }

    /// The same with keys and versions only.
    ///
    /// - Throws: `WireError.tooLarge` where there is no memory.
    package func withoutValues() throws(WireError) -> FetchedRows {
        FetchedRows(number: number, count: count, rows: try rows?.withoutColumns())
    }
}

/// `coffer.v1.RowsReply`, as contexts read it.
package struct FiredRows: Sendable {
    /// The transaction number that the rows belong to.
    package var number: UInt64
    /// One block for each leaf entity that occurs.
    package var blocks: [PackedRows]

    /// The reply, its rows laid out anew.
    ///
    /// - Throws: `WireError.malformed` where its columns have not one value for each row.
    package init(_ reply: RowsReplyMessage) throws(WireError) {
        number = reply.number
        blocks = []
        for batch in reply.batches { blocks.append(try PackedRows(batch)) }
    }
}

/// `coffer.v1.RelationshipReply`, as contexts read it.
package struct FoundMembers: Sendable {
    /// The transaction number that the answer belongs to.
    package var number: UInt64
    /// The objects of owner `i` end before `ends[i]`, and begin where those of owner `i - 1` end.
    package var ends: [UInt32]
    /// The objects.
    package var primaryKeys: [Int64]
    /// The leaf entity of each object.
    package var entities: [UInt32]
    /// The objects' rows, each once, one block for each leaf entity that occurs; none where they were not asked for.
    package var blocks: [PackedRows]

    /// The reply, its rows laid out anew.
    ///
    /// - Throws: `WireError.malformed` where its columns have not one value for each row.
    package init(_ reply: RelationshipReplyMessage) throws(WireError) {
        number = reply.number
        ends = reply.ends
        primaryKeys = reply.primaryKeys
        entities = reply.entities
        blocks = []
        for batch in reply.batches { blocks.append(try PackedRows(batch)) }
    }
}
