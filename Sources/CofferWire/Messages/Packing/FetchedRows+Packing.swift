internal import CCofferMessages

extension FetchedRows: ReadableMessage {
    package init(packed bytes: RawSpan) throws(WireError) {
        self.init(number: 0, count: 0, rows: nil)
        try unsafe FetchReplyMessage.reading(bytes) { message throws(WireError) in
            number = unsafe message.pointee.number
            count = unsafe message.pointee.count
            if let batch = unsafe message.pointee.rows { rows = try unsafe PackedRows(batch) }
        }
    }
}

extension FiredRows: ReadableMessage {
    package init(packed bytes: RawSpan) throws(WireError) {
        number = 0
        blocks = []
        try unsafe RowsReplyMessage.reading(bytes) { message throws(WireError) in
            let c = unsafe message.pointee
            guard unsafe c.n_batches <= Limits.groups else {
                throw unsafe .tooMany(
                    "coffer.v1.RowsReply.batches", count: c.n_batches, limit: Limits.groups)
            }
            number = unsafe c.number
            for index in unsafe 0..<c.n_batches {
                guard let batch = unsafe c.batches?[index] else {
                    throw .malformed("coffer.v1.RowsReply.batches: absent")
                }
                blocks.append(try unsafe PackedRows(batch))
            }
        }
    }
}
