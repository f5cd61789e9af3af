// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Removes a shared store with its content.
///
/// `coffer.v1.RemoveUbiquitousContentRequest`.
package struct RemoveUbiquitousContentRequestMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// How long its clients are waited for that were asked to save; 0: as long as the service thinks fit.
    package var waitMilliseconds: UInt32

    /// A message from its fields.
    package init(name: StoreNameMessage, waitMilliseconds: UInt32 = 0) {
        self.name = name
        self.waitMilliseconds = waitMilliseconds
    }
}

extension RemoveUbiquitousContentRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RemoveUbiquitousContentRequest>) {
        unsafe coffer__v1__remove_ubiquitous_content_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RemoveUbiquitousContentRequest>) throws(WireError) {
        let c = unsafe message.pointee
        name = try unsafe required(c.name, "coffer.v1.RemoveUbiquitousContentRequest.name")
        waitMilliseconds = unsafe c.wait_milliseconds
    }

    func fill(_ c: inout Coffer__V1__RemoveUbiquitousContentRequest, in arena: inout PackArena)
        throws(WireError)
    {
        try unsafe c.name = arena.make(name)
        unsafe c.wait_milliseconds = waitMilliseconds
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
