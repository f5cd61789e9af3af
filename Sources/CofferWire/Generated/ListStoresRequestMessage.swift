// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Asks which stores there are.
///
/// `coffer.v1.ListStoresRequest`.
package struct ListStoresRequestMessage: Sendable, Equatable {
    /// Of all applications, not only the caller's own; not to a sandboxed caller.
    package var allApplications: Bool

    /// A message from its fields.
    package init(allApplications: Bool = false) {
        self.allApplications = allApplications
    }
}

extension ListStoresRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListStoresRequest>) {
        unsafe coffer__v1__list_stores_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListStoresRequest>) throws(WireError) {
        let c = unsafe message.pointee
        allApplications = unsafe c.all_applications != 0
    }

    func fill(_ c: inout Coffer__V1__ListStoresRequest, in arena: inout PackArena) {
        unsafe c.all_applications = allApplications ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
