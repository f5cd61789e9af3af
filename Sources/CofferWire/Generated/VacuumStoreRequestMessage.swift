// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Makes a store's file as small as it can be.
///
/// After a crash, a full disk and a call that is taken back the store is as it was. States that were pinned
/// are given up.
///
/// `coffer.v1.VacuumStoreRequest`.
package struct VacuumStoreRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32

    /// A message from its fields.
    package init(store: UInt32) {
        self.store = store
    }
}

extension VacuumStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__VacuumStoreRequest>) {
        unsafe coffer__v1__vacuum_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__VacuumStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
    }

    func fill(_ c: inout Coffer__V1__VacuumStoreRequest, in arena: inout PackArena) {
        unsafe c.store = store
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
