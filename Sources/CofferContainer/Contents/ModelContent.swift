internal import CofferFormats
package import CofferModel
internal import CofferWire

/// What a model's object holds: the model as it travels everywhere, by whose SHA-256 logs name it.
package struct ModelContent: Equatable, Sendable {
    /// The model.
    package let model: ManagedObjectModel
    /// The bytes that it travels as.
    package let bytes: [UInt8]

    /// The content for a model.
    ///
    /// - Throws: `ObjectFault.tooLarge` if it would be larger than readers accept.
    package init(_ model: ManagedObjectModel) throws(ObjectFault) {
        self.model = model
        bytes = try RegisterContent.packing { () throws(WireError) in try ModelMessage.pack(model) }
    }

    /// The content of a model's object, which may come from anybody.
    ///
    /// - Throws: `ObjectFault.malformed`, naming what does not fit.
    package init(reading content: [UInt8]) throws(ObjectFault) {
        model = try RegisterContent.reading { () throws(WireError) in try ModelMessage.unpack(content) }
        bytes = content
    }

    /// The SHA-256 of the bytes.
    package var id: [UInt8] { ModelIdentity.id(ofMessage: bytes) }
}
