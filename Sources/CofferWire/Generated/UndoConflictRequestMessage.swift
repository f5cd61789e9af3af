// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Undoes a conflict.
///
/// `coffer.v1.UndoConflictRequest`.
package struct UndoConflictRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// The conflict.
    package var number: UInt64

    /// A message from its fields.
    package init(store: UInt32, number: UInt64) {
        self.store = store
        self.number = number
    }
}

extension UndoConflictRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__UndoConflictRequest>) {
        unsafe coffer__v1__undo_conflict_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__UndoConflictRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
        number = unsafe c.number
    }

    func fill(_ c: inout Coffer__V1__UndoConflictRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.number = number
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
