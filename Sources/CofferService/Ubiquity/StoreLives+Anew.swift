import CofferLinux
import CofferUbiquity

/// Beginning an account's store from the start.
extension StoreLives {
    /// Makes a place for an account's store that begins with nothing, while the former one serves.
    ///
    /// What was begun so before is deleted.
    func beginAnew(for account: Int64, _ key: StoreKey) throws(ServiceError) -> Folder {
        let made = try change(key) { [now] store throws(ServiceError) in
            store.beginAnew(for: account, now: now())
        }
        guard let (place, dropped) = made else { throw .noSuchStore(key.description) }
        try removeFiles(of: dropped, key)
        return try folder(of: place, key)
    }

    /// Deletes what was begun of an account's own store.
    func dropBuilding(for account: Int64, _ key: StoreKey) throws(ServiceError) {
        let dropped = try change(key) { store throws(ServiceError) in store.dropBuilding(for: account) }
        try removeFiles(of: dropped ?? [], key)
    }

    func removeFiles(of places: [KeptStore.Place], _ key: StoreKey) throws(ServiceError) {
        for place in places { try self.places.removeFile(key, in: try name(of: place, key)) }
    }
}
