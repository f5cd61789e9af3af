internal import CofferFormats
internal import CofferModel

/// The stores whose content follows the accounts.
extension Accounts {
    /// What is kept of all stores with ubiquitous content names.
    package func stores() throws(AccountError) -> [KeptStore] {
        try reading([]) { database throws(AccountError) in try database.stores() }
    }

    /// Keeps what a store is now; on the disk once this returns.
    package func keep(_ store: KeptStore) throws(AccountError) {
        try writing { database throws(AccountError) in try database.keep(store) }
    }

    /// The name of the folder in which a store has a file: it does not tell whose the file is.
    package func folderName(
        of place: Int64, of store: KeptStore.Name
    ) throws(AccountError) -> String {
        let key = try writing { database throws(AccountError) in database.identityKey }
        // A zero is in no name, so no two places make one message.
        let message = "\(store.application)\0\(store.configuration)\0\(store.store)\0\(place)"
        return HexadecimalDigits.text(
            of: Array(KeyedHash.digest(of: Array(message.utf8), key: key).prefix(Self.folderNameByteCount)))
    }

    private static let folderNameByteCount = 16
}
