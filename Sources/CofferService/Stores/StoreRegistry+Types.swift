import CofferLinux
import CofferModel
import CofferStores
import CofferWire

extension StoreRegistry {
    /// The stores of a user, of one application or of all, that are in memory only.
    func keysInMemory(ofUser userID: UInt32, application: String?) -> [StoreKey] {
        openStores.filter { $0.type == .memory }.map(\.key)
            .filter { $0.userID == userID && $0.application == application ?? $0.application }
            .sorted { $0.description < $1.description }
    }

    /// Throws if a type is asked for that the store does not have.
    func require(
        _ wanted: StoreType?, toBe type: StoreType?, key: StoreKey
    ) throws(ServiceError) {
        if let wanted, let type, wanted != type {
            throw .store(.otherType(path: key.description, is: type))
        }
    }

    /// The type of a store that is to be opened, and the folder of its file.
    func place(
        of key: StoreKey, for request: OpenStoreRequestMessage
    ) throws(ServiceError) -> (StoreType, Folder) {
        let present = try places.type(of: key)
        try require(request.type, toBe: present, key: key)
        let type = request.type ?? present ?? .sqlite
        // One in memory has no file.
        if type == .memory { return (type, places.root) }
        let folder = try request.mustExist ? places.folder(of: key) : places.makeFolder(of: key)
        guard let folder else { throw .noSuchStore(key.description) }
        return (type, folder)
    }

    /// Whether one user of many has all the stores that it may have open.
    func isFull(_ keys: some Collection<StoreKey>, of userID: UInt32) -> Bool {
        places.isSystem && keys.count >= Limits.storesPerUser
            && keys.count { $0.userID == userID } >= Limits.storesPerUser
    }
}
