// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import CofferModel
package import FoundationEssentials

/// A store that is open.
///
/// `coffer.v1.StoreOpened`.
package struct StoreOpenedMessage: Sendable, Equatable {
    /// Handle, good on this channel or bus name.
    package var store: UInt32
    /// 16 bytes.
    package var uuid: UUID
    /// Last transaction.
    package var number: UInt64
    /// The oldest number that a token may have.
    package var floor: UInt64
    /// Opaque.
    package var path: String
    /// 32 bytes: of the model that it has.
    package var modelID: [UInt8]
    /// It was not there before.
    package var isCreated: Bool
    /// If the request named none.
    package var model: ManagedObjectModel?

    /// A message from its fields.
    package init(
        store: UInt32, uuid: UUID, number: UInt64, floor: UInt64, path: String, modelID: [UInt8],
        isCreated: Bool, model: ManagedObjectModel? = nil
    ) {
        self.store = store
        self.uuid = uuid
        self.number = number
        self.floor = floor
        self.path = path
        self.modelID = modelID
        self.isCreated = isCreated
        self.model = model
    }
}

extension StoreOpenedMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__StoreOpened>) {
        unsafe coffer__v1__store_opened__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__StoreOpened>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
        uuid = try unsafe c.uuid.uuid("coffer.v1.StoreOpened.uuid")
        number = unsafe c.number
        floor = unsafe c.floor
        path = try unsafe c.path.text("coffer.v1.StoreOpened.path")
        modelID = try unsafe c.model_id.digest("coffer.v1.StoreOpened.model_id")
        isCreated = unsafe c.created != 0
        model = try unsafe optional(c.model, as: ModelMessage.self)?.model
    }

    func fill(_ c: inout Coffer__V1__StoreOpened, in arena: inout PackArena) throws(WireError) {
        unsafe c.store = store
        unsafe c.uuid = arena.uuid(uuid)
        unsafe c.number = number
        unsafe c.floor = floor
        unsafe c.path = arena.text(path)
        unsafe c.model_id = arena.data(modelID)
        unsafe c.created = isCreated ? 1 : 0
        try unsafe c.model = arena.makeOptional(model.map { ModelMessage($0) })
    }
}
