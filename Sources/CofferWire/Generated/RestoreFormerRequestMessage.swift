// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Brings back what was put aside.
///
/// `coffer.v1.RestoreFormerRequest`.
package struct RestoreFormerRequestMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// Which of its files.
    package var number: UInt64

    /// A message from its fields.
    package init(name: StoreNameMessage, number: UInt64) {
        self.name = name
        self.number = number
    }
}

extension RestoreFormerRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RestoreFormerRequest>) {
        unsafe coffer__v1__restore_former_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RestoreFormerRequest>) throws(WireError) {
        let c = unsafe message.pointee
        name = try unsafe required(c.name, "coffer.v1.RestoreFormerRequest.name")
        number = unsafe c.number
    }

    func fill(_ c: inout Coffer__V1__RestoreFormerRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.number = number
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
