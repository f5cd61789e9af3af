import Synchronization

/// Which of several files a store is served from, if its content follows the accounts.
///
/// Shared. What it says of a store changes only while that store's key is claimed.
final class StorePlacements: Sendable {
    /// The folder beside a store's own file that has its other ones, as with Core Data.
    static let folderName = "CofferUbiquitySupport"

    private let folders = Mutex<[StoreKey: String]>([:])

    /// The opaque folder of a store's file, relative to that of its own file; `nil` if its own file is
    /// served.
    subscript(key: StoreKey) -> String? {
        get { folders.withLock { $0[key] } }
        set { folders.withLock { $0[key] = newValue } }
    }

    /// The stores that are not served from their own files.
    var keys: [StoreKey] { folders.withLock { Array($0.keys) } }
}
