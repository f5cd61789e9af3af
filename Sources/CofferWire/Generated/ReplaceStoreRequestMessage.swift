// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Puts another file in the place of a store's: the one whose descriptor, open for reading, comes along.
///
/// Where values of it are in files, the descriptor of their folder comes second, but not over the system's
/// bus or out of a sandbox. Clients that have the store open are asked first, see StoresWillChange.
///
/// `coffer.v1.ReplaceStoreRequest`.
package struct ReplaceStoreRequestMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// For their answers, at most 60,000; 0: 10,000.
    package var waitMilliseconds: UInt32
    /// Of a store that is shared with other machines; to be said of such a one.
    package var sharedReplacement: SharedReplacementMessage?

    /// A message from its fields.
    package init(
        name: StoreNameMessage, waitMilliseconds: UInt32 = 0,
        sharedReplacement: SharedReplacementMessage? = nil
    ) {
        self.name = name
        self.waitMilliseconds = waitMilliseconds
        self.sharedReplacement = sharedReplacement
    }
}

extension ReplaceStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ReplaceStoreRequest>) {
        unsafe coffer__v1__replace_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ReplaceStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        name = try unsafe required(c.name, "coffer.v1.ReplaceStoreRequest.name")
        waitMilliseconds = unsafe c.wait_milliseconds
        sharedReplacement = try unsafe optionalChoice(
            c.shared_replacement.rawValue, "coffer.v1.ReplaceStoreRequest.shared_replacement")
    }

    func fill(_ c: inout Coffer__V1__ReplaceStoreRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.wait_milliseconds = waitMilliseconds
        unsafe c.shared_replacement = Coffer__V1__SharedReplacement(rawValue: sharedReplacement?.wire ?? 0)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
