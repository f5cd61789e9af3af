import CofferFormats
import CofferModel
import CofferWire
import Synchronization

/// The models that clients registered, by their id.
final class ModelRegistry: Sendable {
    private struct State {
        var models: [[UInt8]: ManagedObjectModel] = [:]
        var order: [[UInt8]] = []
    }

    private let state = Mutex(State())

    /// Keeps a model; says its id.
    func register(_ packed: [UInt8]) throws(ServiceError) -> [UInt8] {
        do throws(WireError) {
            let model = try ModelMessage.unpack(packed)
            // Made again, so that the id is that of the canonical form whatever the client sent.
            let id = SHA256.digest(of: try ModelMessage.pack(model))
            keep(model, id: id)
            return id
        } catch {
            throw .wire(error)
        }
    }

    /// The model with an id.
    func model(_ id: [UInt8]) -> ManagedObjectModel? {
        state.withLock { $0.models[id] }
    }

    /// Keeps a model that was found in a store.
    func keep(_ model: ManagedObjectModel, id: [UInt8]) {
        state.withLock { state in
            guard state.models[id] == nil else { return }
            if state.order.count >= Limits.models { state.models[state.order.removeFirst()] = nil }
            state.order.append(id)
            state.models[id] = model
        }
    }
}
