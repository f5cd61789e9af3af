// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import FoundationEssentials

/// A place in a store's history.
///
/// `coffer.v1.HistoryToken`.
package struct HistoryTokenMessage: Sendable, Equatable {
    /// 16 bytes.
    package var storeUUID: UUID
    /// The last transaction that its owner has.
    package var number: UInt64

    /// A message from its fields.
    package init(storeUUID: UUID, number: UInt64) {
        self.storeUUID = storeUUID
        self.number = number
    }
}

extension HistoryTokenMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__HistoryToken>) {
        unsafe coffer__v1__history_token__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__HistoryToken>) throws(WireError) {
        let c = unsafe message.pointee
        storeUUID = try unsafe c.store_uuid.uuid("coffer.v1.HistoryToken.store_uuid")
        number = unsafe c.number
    }

    func fill(_ c: inout Coffer__V1__HistoryToken, in arena: inout PackArena) {
        unsafe c.store_uuid = arena.uuid(storeUUID)
        unsafe c.number = number
    }
}
