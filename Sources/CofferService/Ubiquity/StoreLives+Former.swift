import CofferLinux
import CofferUbiquity

/// A file of a store that is served no more, and kept for a while.
struct FormerContent: Sendable {
    let key: StoreKey
    let place: KeptStore.Place
    /// How much room it takes.
    let byteCount: UInt64
}

/// What was put aside of stores.
extension StoreLives {
    /// All that was put aside and is there, by store and number.
    func formerContents() throws(ServiceError) -> [FormerContent] {
        var found: [FormerContent] = []
        for (key, store) in try kept() {
            for place in store.places where place.role == .former {
                let byteCount = try places.fileSize(of: key, in: try name(of: place, key))
                if byteCount > 0 { found.append(FormerContent(key: key, place: place, byteCount: byteCount)) }
            }
        }
        return found
    }

    /// When a file that was put aside is deleted, in seconds since 2001-01-01 UTC.
    static func end(of place: KeptStore.Place) -> Double { place.since + Limits.formerContent }

    /// Deletes what was put aside for long enough.
    ///
    /// - Returns: What went, and what could not be deleted now.
    func deleteFormer() throws(ServiceError) -> (deleted: [StoreKey], failed: [(StoreKey, ServiceError)]) {
        var (deleted, failed): ([StoreKey], [(StoreKey, ServiceError)]) = ([], [])
        for (key, store) in try kept() {
            for place in store.places
            where place.role == .former && Self.end(of: place) <= now() && place.number != store.rejoined {
                do throws(ServiceError) {
                    try delete(place, of: key)
                    deleted.append(key)
                } catch {
                    failed.append((key, error))
                }
            }
        }
        return (deleted, failed)
    }

    /// Deletes a file that no client has open, and forgets its place.
    func delete(_ place: KeptStore.Place, of key: StoreKey) throws(ServiceError) {
        try places.removeFile(key, in: try name(of: place, key))
        try change(key) { store throws(ServiceError) in store.forget(place.number) }
    }
}
