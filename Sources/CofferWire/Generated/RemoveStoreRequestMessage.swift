// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Deletes the files of a store that is not open, or of any.
///
/// `coffer.v1.RemoveStoreRequest`.
package struct RemoveStoreRequestMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// The clients that have it open are asked first, see StoresWillChange.
    package var isEvenIfOpen: Bool
    /// For their answers, at most 60,000; 0: 10,000.
    package var waitMilliseconds: UInt32

    /// A message from its fields.
    package init(name: StoreNameMessage, isEvenIfOpen: Bool = false, waitMilliseconds: UInt32 = 0) {
        self.name = name
        self.isEvenIfOpen = isEvenIfOpen
        self.waitMilliseconds = waitMilliseconds
    }
}

extension RemoveStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RemoveStoreRequest>) {
        unsafe coffer__v1__remove_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RemoveStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        name = try unsafe required(c.name, "coffer.v1.RemoveStoreRequest.name")
        isEvenIfOpen = unsafe c.even_if_open != 0
        waitMilliseconds = unsafe c.wait_milliseconds
    }

    func fill(_ c: inout Coffer__V1__RemoveStoreRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.even_if_open = isEvenIfOpen ? 1 : 0
        unsafe c.wait_milliseconds = waitMilliseconds
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
