import CofferFormats
import CofferModel
import CofferStores
import CofferWire
import Synchronization

/// The models that clients registered, by their id.
final class ModelRegistry: Sendable {
    private struct State {
        var models: [[UInt8]: StoreModel] = [:]
        var order: [[UInt8]] = []
    }

    private let state = Mutex(State())

    /// Keeps a model; says its id.
    func register(_ model: ManagedObjectModel) throws(ServiceError) -> [UInt8] {
        do throws(WireError) {
            // Made again, so that the id is that of the canonical form whatever the client sent.
            let bytes = try ModelMessage.pack(model)
            let id = SHA256.digest(of: bytes)
            keep(StoreModel(model: model, id: id, bytes: bytes))
            return id
        } catch {
            throw .wire(error)
        }
    }

    /// The model with an id.
    func model(_ id: [UInt8]) -> StoreModel? {
        state.withLock { $0.models[id] }
    }

    /// Keeps a model that was found in a store.
    func keep(_ model: StoreModel) {
        state.withLock { state in
            guard state.models[model.id] == nil else { return }
            if state.order.count >= Limits.models { state.models[state.order.removeFirst()] = nil }
            state.order.append(model.id)
            state.models[model.id] = model
        }
    }
}
