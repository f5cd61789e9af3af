package import CofferModel
package import CofferStores
import CofferWire
import Synchronization

/// The models that clients of each user registered, by their id: those that were used last.
///
/// No user's models push out another's, unless all have so many that the one with the most gives one up. A
/// user's processes push out each other's: what a client registered last is in its budget, too.
package final class ModelRegistry: Sendable {
    /// How many models there may be, and of how many bytes as messages.
    package struct Bounds: Sendable {
        let count: Int
        let byteCount: Int

        /// Bounds on how many models are kept, and on their bytes together.
        package init(count: Int, byteCount: Int) {
            self.count = count
            self.byteCount = byteCount
        }

        /// Whether one more of `bytes` is too much beside others.
        func pass(_ others: (count: Int, byteCount: Int), adding bytes: Int) -> Bool {
            others.count + 1 > count || others.byteCount + bytes > byteCount
        }

        /// The part of these bounds that a size takes up.
        func share(_ size: (count: Int, byteCount: Int)) -> Double {
            max(Double(size.count) / Double(count), Double(size.byteCount) / Double(byteCount))
        }
    }

    private struct UserModels {
        private(set) var models: [[UInt8]: StoreModel] = [:]
        private(set) var byteCount = 0
        /// Least recently used first.
        private var order: [[UInt8]] = []

        var size: (count: Int, byteCount: Int) { (models.count, byteCount) }

        mutating func use(_ id: [UInt8]) -> StoreModel? {
            guard let model = models[id] else { return nil }
            order.removeAll { $0 == id }
            order.append(id)
            return model
        }

        mutating func add(_ model: StoreModel) {
            models[model.id] = model
            byteCount += model.bytes.count
            order.append(model.id)
        }

        mutating func removeOldest() {
            byteCount -= models.removeValue(forKey: order.removeFirst())?.bytes.count ?? 0
        }
    }

    private let shelves = Mutex<[UInt32: UserModels]>([:])
    private let boundsOfUser: Bounds
    private let bounds: Bounds

    /// A registry of so many models of each user, and in all.
    package init(ofUser: Bounds, ofAll: Bounds) {
        boundsOfUser = ofUser
        bounds = ofAll
    }

    /// Keeps a model, and returns it with its id; returns the registered one if its id is known already.
    package func register(
        _ model: ManagedObjectModel, of userID: UInt32
    ) throws(ServiceError) -> StoreModel {
        do throws(WireError) {
            // Made again, so that the id is that of the canonical form whatever the client sent.
            return keep(try StoreModel(packing: model), of: userID)
        } catch {
            throw .wire(error)
        }
    }

    /// The model with an id.
    package func model(_ id: [UInt8], of userID: UInt32) -> StoreModel? {
        shelves.withLock { $0[userID]?.use(id) }
    }

    /// Keeps a model that was registered, or found in a store; returns the kept one if its id is known
    /// already.
    @discardableResult
    package func keep(_ model: StoreModel, of userID: UInt32) -> StoreModel {
        shelves.withLock { shelves in
            if let known = shelves[userID]?.use(model.id) { return known }
            // The last one stays, however large it is: its client opens a store with it next.
            while let size = shelves[userID]?.size, size.count > 0,
                boundsOfUser.pass(size, adding: model.bytes.count)
            {
                shelves[userID]?.removeOldest()
            }
            while bounds.pass(Self.size(of: shelves), adding: model.bytes.count),
                let largest = shelves.max(by: { bounds.share($0.value.size) < bounds.share($1.value.size) })?
                    .key
            {
                shelves[largest]?.removeOldest()
                if shelves[largest]?.models.isEmpty ?? true { shelves[largest] = nil }
            }
            shelves[userID, default: UserModels()].add(model)
            return model
        }
    }

    private static func size(of shelves: [UInt32: UserModels]) -> (count: Int, byteCount: Int) {
        shelves.values.reduce(into: (0, 0)) { sum, shelf in
            sum.0 += shelf.size.count
            sum.1 += shelf.size.byteCount
        }
    }
}
