// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Deletes history, except what a consumer within its lease has not acknowledged.
///
/// `coffer.v1.PurgeHistoryRequest`.
package struct PurgeHistoryRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// Transactions with a lower number go.
    package var before: UInt64
    /// Transactions before this moment go, in seconds since 2001-01-01 00:00 UTC; 0: none.
    package var beforeTime: Double?

    /// A message from its fields.
    package init(store: UInt32, before: UInt64 = 0, beforeTime: Double? = nil) {
        self.store = store
        self.before = before
        self.beforeTime = beforeTime
    }
}

extension PurgeHistoryRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__PurgeHistoryRequest>) {
        unsafe coffer__v1__purge_history_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__PurgeHistoryRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
        before = unsafe c.before
        beforeTime = unsafe c.before_time == 0 ? nil : c.before_time
    }

    func fill(_ c: inout Coffer__V1__PurgeHistoryRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.before = before
        unsafe c.before_time = beforeTime ?? 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
