internal import CofferFormats
internal import CofferModel
internal import CofferWire

/// The id of a model: SHA-256 of its canonical message.
enum ModelIdentity {
    static func id(of model: ManagedObjectModel) throws(CofferError) -> [UInt8] {
        do throws(WireError) {
            return SHA256.digest(of: try ModelMessage.pack(model))
        } catch {
            throw CofferError(error)
        }
    }
}
