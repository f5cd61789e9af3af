package import FoundationEssentials

/// A file that has proved to be a store, and is about to take another's place.
package protocol StoreExchange: Sendable {
    /// The UUID of the new store.
    var uuid: UUID { get }

    /// Puts it in the store's place, with a history that begins behind all that either had.
    ///
    /// The store must not be open. After a crash either the old file or the whole new one is there.
    /// - Parameter now: Seconds since 2001-01-01 00:00 UTC.
    /// - Returns: Its last transaction.
    /// - Throws: `StoreError.lockedByOther` if it is open.
    func takePlace(now: Double) throws(StoreError) -> UInt64
}

extension StoreReplacement: StoreExchange {}
