// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// The file of a store is about to be exchanged or deleted: save what is to be saved into it, then answer.
///
/// A client that does not answer in time, or is gone, is not waited for. A push of KIND_STORES_DID_CHANGE
/// follows in any case; then the handle is good for nothing, and the store is opened again.
///
/// `coffer.v1.StoresWillChangeRequest`.
package struct StoresWillChangeRequestMessage: Sendable, Equatable {
    /// The handle.
    package var store: UInt32
    /// There will be none to open again.
    package var isRemoved: Bool
    /// Why, if it is a store with a ubiquitous content name; else UNSPECIFIED.
    package var transitionKind: StoreTransitionKind?
    /// With `transition`: rises with each question of the store.
    ///
    /// The last one counts.
    package var question: UInt64

    /// A message from its fields.
    package init(store: UInt32, isRemoved: Bool, transitionKind: StoreTransitionKind?, question: UInt64) {
        self.store = store
        self.isRemoved = isRemoved
        self.transitionKind = transitionKind
        self.question = question
    }
}

extension StoresWillChangeRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__StoresWillChangeRequest>) {
        unsafe coffer__v1__stores_will_change_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__StoresWillChangeRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
        isRemoved = unsafe c.removed != 0
        transitionKind = try unsafe optionalChoice(
            c.transition.rawValue, "coffer.v1.StoresWillChangeRequest.transition")
        question = unsafe c.question
    }

    func fill(_ c: inout Coffer__V1__StoresWillChangeRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.removed = isRemoved ? 1 : 0
        unsafe c.transition = Coffer__V1__StoreTransition(rawValue: transitionKind?.wire ?? 0)
        unsafe c.question = question
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
