import CofferCoordination
import CofferStores
import CofferWire

extension StoreRegistry {
    /// What became of opening a store.
    enum Opening {
        /// It is open.
        case opened(ServedStore, isCreated: Bool)
        /// The model that the request names is not known.
        case needModel
        /// The store was made with another model.
        case incompatible(IncompatibleModelMessage)
    }

    /// An open store for another session: with the model that it has, if objects of the one asked for travel
    /// as its own do.
    func join(
        _ store: ServedStore, for request: OpenStoreRequestMessage, model: StoreModel?
    ) throws(ServiceError) -> Opening {
        try require(request.type, toBe: store.type, key: store.key)
        if !request.modelID.isEmpty, request.modelID != store.persistentStore.file.model.id {
            guard let model else { return .needModel }
            let reasons = ModelIncompatibility(of: model.model, with: store.model)
            guard reasons.isEmpty else {
                return .incompatible(reasons.message)
            }
        }
        do throws(StoreError) { try store.persistentStore.tighten(request.pragmas) } catch {
            throw .store(error)
        }
        return .opened(store, isCreated: false)
    }
}
