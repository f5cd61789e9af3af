// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Tells how far a reader of history has come, ends one, or only lists them.
///
/// `coffer.v1.ConsumerRequest`.
package struct ConsumerRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// Which reader; empty: they are only listed.
    package var name: String
    /// Has everything up to this number.
    package var acknowledged: UInt64
    /// It is waited for no longer.
    package var isRemoved: Bool
    /// The reply lists those of all applications; not to a sandboxed caller.
    package var allApplications: Bool
    /// Whose consumer it is if that is not the caller's application; not for a sandboxed caller.
    package var application: String

    /// A message from its fields.
    package init(
        store: UInt32, name: String, acknowledged: UInt64, isRemoved: Bool = false,
        allApplications: Bool = false, application: String = ""
    ) {
        self.store = store
        self.name = name
        self.acknowledged = acknowledged
        self.isRemoved = isRemoved
        self.allApplications = allApplications
        self.application = application
    }
}

extension ConsumerRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ConsumerRequest>) {
        unsafe coffer__v1__consumer_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ConsumerRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
        name = try unsafe c.name.text("coffer.v1.ConsumerRequest.name")
        acknowledged = unsafe c.acknowledged
        isRemoved = unsafe c.remove != 0
        allApplications = unsafe c.all_applications != 0
        application = try unsafe c.application.text("coffer.v1.ConsumerRequest.application")
    }

    func fill(_ c: inout Coffer__V1__ConsumerRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.name = arena.text(name)
        unsafe c.acknowledged = acknowledged
        unsafe c.remove = isRemoved ? 1 : 0
        unsafe c.all_applications = allApplications ? 1 : 0
        unsafe c.application = arena.text(application)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
