// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import CofferModel

/// Takes a store to another type in its place, once the programs that have it open were asked: its objects go
/// into a new store, which gets its name.
///
/// A push of KIND_STORES_DID_CHANGE tells how ids became others. After a crash there is the old store or the
/// whole new one.
///
/// `coffer.v1.MoveStoreRequest`.
package struct MoveStoreRequestMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// What it becomes; there must be one, and it has a file.
    package var type: StoreType
    /// For the clients' answers, at most 60,000; 0: 10,000.
    package var waitMilliseconds: UInt32

    /// A message from its fields.
    package init(name: StoreNameMessage, type: StoreType, waitMilliseconds: UInt32 = 0) {
        self.name = name
        self.type = type
        self.waitMilliseconds = waitMilliseconds
    }
}

extension MoveStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MoveStoreRequest>) {
        unsafe coffer__v1__move_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MoveStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        name = try unsafe required(c.name, "coffer.v1.MoveStoreRequest.name")
        type = try unsafe requiredChoice(c.type.rawValue, "coffer.v1.MoveStoreRequest.type")
        waitMilliseconds = unsafe c.wait_milliseconds
    }

    func fill(_ c: inout Coffer__V1__MoveStoreRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.type = Coffer__V1__StoreType(rawValue: type.wire)
        unsafe c.wait_milliseconds = waitMilliseconds
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
