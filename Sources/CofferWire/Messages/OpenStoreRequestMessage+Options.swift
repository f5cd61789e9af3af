extension OpenStoreRequestMessage {
    /// SQLite options from the safe list, by name.
    package var pragmas: [String: String] {
        get { Dictionary(pragmaList.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }) }
        set {
            pragmaList = newValue.sorted { $0.key < $1.key }.map {
                StoreOptionMessage(key: $0.key, value: $0.value)
            }
        }
    }

    /// What is said of a store with a ubiquitous content name, besides the name.
    package var sharing: SharingOptionsMessage {
        get {
            SharingOptionsMessage(
                needsAccount: needsAccount, rebuilds: rebuilds, path: ubiquitousContentPath,
                container: ubiquitousContainer)
        }
        set {
            (needsAccount, rebuilds) = (newValue.needsAccount, newValue.rebuilds)
            (ubiquitousContentPath, ubiquitousContainer) = (newValue.path, newValue.container)
        }
    }

    /// Refuses two options of one name.
    func checkFields() throws(WireError) {
        _ = try dictionary(pragmaList.map { ($0.key, $0.value) }, "coffer.v1.OpenStoreRequest.pragmas")
    }
}
