/// `coffer.v1.HistoryConsumer`: a reader of history that retention waits for.
package struct HistoryConsumerMessage: Sendable, Equatable {
    /// The application's id.
    package var application: String
    /// The consumer's name, unique in the application.
    package var name: String
    /// The last transaction that the consumer has acknowledged, with all before it.
    package var acknowledged: UInt64
    /// When it is waited for no longer, in seconds since 2001-01-01 00:00 UTC.
    package var lease: Double

    /// A consumer from its fields.
    package init(application: String, name: String, acknowledged: UInt64, lease: Double) {
        self.application = application
        self.name = name
        self.acknowledged = acknowledged
        self.lease = lease
    }
}

/// `coffer.v1.PurgeHistoryRequest`: deletes history that the application needs no longer.
package struct PurgeHistoryRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// Transactions with a lower number go.
    package var before: UInt64
    /// Transactions before this moment go, in seconds since 2001-01-01 00:00 UTC; `nil`: none.
    package var beforeTime: Double?

    /// A request from its fields; a field that is left out has its default.
    package init(store: UInt32, before: UInt64 = 0, beforeTime: Double? = nil) {
        self.store = store
        self.before = before
        self.beforeTime = beforeTime
    }
}

/// `coffer.v1.PurgeHistoryReply`.
package struct PurgeHistoryReplyMessage: Sendable, Equatable {
    /// The oldest number that a token may have.
    package var floor: UInt64

    /// A reply from its fields.
    package init(floor: UInt64) { self.floor = floor }
}
