import CofferModel
import CofferStores

extension StoreRegistry {
    /// The stores of a user, of one application or of all, that are in memory only.
    func keysInMemory(ofUser userID: UInt32, application: String?) -> [StoreKey] {
        openStores.filter { $0.type == .memory }.map(\.key)
            .filter { $0.userID == userID && $0.application == application ?? $0.application }
            .sorted { $0.description < $1.description }
    }

    /// Throws where a type is asked for that the store does not have.
    func require(
        _ wanted: StoreType?, toBe type: StoreType?, key: StoreKey
    ) throws(ServiceError) {
        if let wanted, let type, wanted != type {
            throw .store(.otherType(path: key.description, is: type))
        }
    }
}
