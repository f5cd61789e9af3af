extension FetchedRows: ReadableMessage {
    package init(packed bytes: RawSpan) throws(WireError) { try self.init(FetchReplyMessage(packed: bytes)) }
}

extension FiredRows: ReadableMessage {
    package init(packed bytes: RawSpan) throws(WireError) { try self.init(RowsReplyMessage(packed: bytes)) }
}
