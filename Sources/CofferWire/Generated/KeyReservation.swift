// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// How many keys of one entity are wanted.
///
/// `coffer.v1.KeyReservation`.
package struct KeyReservation: Sendable, Equatable {
    /// Leaf entity; the keys are those of its inheritance tree.
    package var entity: Int
    /// How many.
    package var count: Int

    /// A message from its fields.
    package init(entity: Int, count: Int) {
        self.entity = entity
        self.count = count
    }
}

extension KeyReservation: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__KeyReservation>) {
        unsafe coffer__v1__key_reservation__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__KeyReservation>) throws(WireError) {
        let c = unsafe message.pointee
        entity = unsafe Int(clamping: c.entity)
        count = unsafe Int(clamping: c.count)
    }

    func fill(_ c: inout Coffer__V1__KeyReservation, in arena: inout PackArena) {
        unsafe c.entity = UInt32(clamping: entity)
        unsafe c.count = UInt32(clamping: count)
    }
}
