// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import CofferModel

/// Makes a model known.
///
/// `coffer.v1.RegisterModelRequest`.
package struct RegisterModelRequestMessage: Sendable, Equatable {
    /// The model; what its id is made of.
    package var model: ManagedObjectModel

    /// A message from its fields.
    package init(model: ManagedObjectModel) {
        self.model = model
    }
}

extension RegisterModelRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .model }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RegisterModelRequest>) {
        unsafe coffer__v1__register_model_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RegisterModelRequest>) throws(WireError) {
        let c = unsafe message.pointee
        model = try unsafe required(
            c.model, "coffer.v1.RegisterModelRequest.model", as: ModelMessage.self
        ).model
    }

    func fill(_ c: inout Coffer__V1__RegisterModelRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.model = arena.make(ModelMessage(model))
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
