/// What `coffer.v1.OpenStoreRequest` says of a store with a ubiquitous content name, besides the name.
package struct SharingOptionsMessage: Sendable, Hashable {
    /// Whether nothing is saved while no user is signed in.
    package var needsAccount: Bool
    /// Whether the account's store is made again from its container.
    package var rebuilds: Bool
    /// The folder in the container, or its file URL below the account's folder; empty: the container itself.
    package var path: String
    /// Which of the account's containers; empty: that of the application.
    package var container: String

    /// Options from their fields; what is left out has its default.
    package init(
        needsAccount: Bool = false, rebuilds: Bool = false, path: String = "", container: String = ""
    ) {
        (self.needsAccount, self.rebuilds) = (needsAccount, rebuilds)
        (self.path, self.container) = (path, container)
    }
}
