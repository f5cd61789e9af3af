// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// A reader of history that the store waits for.
///
/// `coffer.v1.HistoryConsumer`.
package struct HistoryConsumerMessage: Sendable, Equatable {
    /// Whose reader it is.
    package var application: String
    /// Unique in the application.
    package var name: String
    /// It has everything up to this number.
    package var acknowledged: UInt64
    /// When it ends, in seconds since 2001-01-01 00:00 UTC; after it the reader is waited for no longer.
    package var lease: Double

    /// A message from its fields.
    package init(application: String, name: String, acknowledged: UInt64, lease: Double) {
        self.application = application
        self.name = name
        self.acknowledged = acknowledged
        self.lease = lease
    }
}

extension HistoryConsumerMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__HistoryConsumer>) {
        unsafe coffer__v1__history_consumer__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__HistoryConsumer>) throws(WireError) {
        let c = unsafe message.pointee
        application = try unsafe c.application.text("coffer.v1.HistoryConsumer.application")
        name = try unsafe c.name.text("coffer.v1.HistoryConsumer.name")
        acknowledged = unsafe c.acknowledged
        lease = unsafe c.lease
    }

    func fill(_ c: inout Coffer__V1__HistoryConsumer, in arena: inout PackArena) {
        unsafe c.application = arena.text(application)
        unsafe c.name = arena.text(name)
        unsafe c.acknowledged = acknowledged
        unsafe c.lease = lease
    }
}
