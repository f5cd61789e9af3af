// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Another copy of a shared store, as this one knows it.
///
/// `coffer.v1.UbiquityPeer`.
package struct UbiquityPeerMessage: Sendable, Equatable {
    /// What it writes under.
    package var peer: UInt64
    /// Its last fold that is here, with none missing before it.
    package var folds: UInt64
    /// The last of the own folds that it is known to have.
    package var seen: UInt64
    /// It is known to have all transactions up to this one.
    package var seenNumber: UInt64

    /// A message from its fields.
    package init(peer: UInt64, folds: UInt64, seen: UInt64, seenNumber: UInt64 = 0) {
        self.peer = peer
        self.folds = folds
        self.seen = seen
        self.seenNumber = seenNumber
    }
}

extension UbiquityPeerMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__UbiquityPeer>) {
        unsafe coffer__v1__ubiquity_peer__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__UbiquityPeer>) throws(WireError) {
        let c = unsafe message.pointee
        peer = unsafe c.peer
        folds = unsafe c.folds
        seen = unsafe c.seen
        seenNumber = unsafe c.seen_number
    }

    func fill(_ c: inout Coffer__V1__UbiquityPeer, in arena: inout PackArena) {
        unsafe c.peer = peer
        unsafe c.folds = folds
        unsafe c.seen = seen
        unsafe c.seen_number = seenNumber
    }
}
