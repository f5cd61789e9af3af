import CofferFormats
package import CofferModel
package import CofferStores
import CofferWire
import Synchronization

/// The models that clients of each user registered, by their id: those that were used last.
///
/// No user's models push out another's, unless all have so many that the one with the most gives one up. A user's processes push out each
/// other's: what a client registered last is in its budget, too.
package final class ModelRegistry: Sendable {
    private struct Shelf {
        private(set) var models: [[UInt8]: StoreModel] = [:]
        /// Least recently used first.
        private var order: [[UInt8]] = []

        mutating func use(_ id: [UInt8]) -> StoreModel? {
            guard let model = models[id] else { return nil }
            order.removeAll { $0 == id }
            order.append(id)
            return model
        }

        mutating func add(_ model: StoreModel) {
            models[model.id] = model
            order.append(model.id)
        }

        mutating func removeOldest() { models[order.removeFirst()] = nil }
    }

    private let shelves = Mutex<[UInt32: Shelf]>([:])
    private let limitOfUser: Int
    private let limit: Int

    /// A registry of so many models of each user, and in all.
    package init(limitOfUser: Int, limit: Int) {
        self.limitOfUser = limitOfUser
        self.limit = limit
    }

    /// Keeps a model, and gives it with its id: the one that is there already, where it is the same.
    package func register(
        _ model: ManagedObjectModel, of userID: UInt32
    ) throws(ServiceError) -> StoreModel {
        do throws(WireError) {
            // Made again, so that the id is that of the canonical form whatever the client sent.
            let bytes = try ModelMessage.pack(model)
            let id = SHA256.digest(of: bytes)
            return keep(StoreModel(model: model, id: id, bytes: bytes), of: userID)
        } catch {
            throw .wire(error)
        }
    }

    /// The model with an id.
    package func model(_ id: [UInt8], of userID: UInt32) -> StoreModel? {
        shelves.withLock { $0[userID]?.use(id) }
    }

    /// Keeps a model that was registered, or found in a store; gives the one that is there already, where it is the same.
    @discardableResult
    package func keep(_ model: StoreModel, of userID: UInt32) -> StoreModel {
        shelves.withLock { shelves in
            if let known = shelves[userID]?.use(model.id) { return known }
            if shelves[userID]?.models.count ?? 0 >= limitOfUser {
                shelves[userID]?.removeOldest()
            } else if shelves.values.reduce(0, { $0 + $1.models.count }) >= limit,
                let largest = shelves.max(by: { $0.value.models.count < $1.value.models.count })?.key
            {
                shelves[largest]?.removeOldest()
                if shelves[largest]?.models.isEmpty ?? true { shelves[largest] = nil }
            }
            shelves[userID, default: Shelf()].add(model)
            return model
        }
    }
}
