// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// What the model is called from now on.
///
/// `coffer.v1.RegisterModelReply`.
package struct RegisterModelReplyMessage: Sendable, Equatable {
    /// 32 bytes: the SHA-256 of the packed model.
    package var modelID: [UInt8]

    /// A message from its fields.
    package init(modelID: [UInt8]) {
        self.modelID = modelID
    }
}

extension RegisterModelReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RegisterModelReply>) {
        unsafe coffer__v1__register_model_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RegisterModelReply>) throws(WireError) {
        let c = unsafe message.pointee
        modelID = try unsafe c.model_id.digest("coffer.v1.RegisterModelReply.model_id")
    }

    func fill(_ c: inout Coffer__V1__RegisterModelReply, in arena: inout PackArena) {
        unsafe c.model_id = arena.data(modelID)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
