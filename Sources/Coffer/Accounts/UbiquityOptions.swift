internal import CofferWire
public import FoundationEssentials

/// Where a store with a ``StoreDescription/ubiquitousContentName`` is in the containers of accounts, and how
/// it is opened.
public struct UbiquityOptions: Sendable, Hashable {
    /// The folder in the container that has the store, by a relative URL such as `Library/Notes` or by a file
    /// URL below the account's folder; `nil` for the container itself.
    ///
    /// Stores of different folders have nothing in common. What would lead out of the container is refused
    /// with the reason `invalid_name`; links in it are not followed. Core Data calls it
    /// `NSPersistentStoreUbiquitousContentURLKey`.
    public var contentURL: URL?
    /// Which of the account's containers has the store, if applications share one; `nil` for the first,
    /// which is that of the application.
    ///
    /// A program in a sandbox has containers of which the names begin with its own and a dot. Core Data calls
    /// it `NSPersistentStoreUbiquitousContainerIdentifierKey`.
    public var containerIdentifier: String?
    /// Whether nothing is saved while no user is signed in: a save is refused with the reason `no_account`.
    ///
    /// In the context that is open, saving works once a user has signed in.
    public var needsAccount: Bool
    /// Whether the account's store is made again from its container: it is empty at once and fills.
    ///
    /// What was not exported yet is joined into it, so nothing is lost. This is done once for each time
    /// that stores are loaded, also if a store that has a content name is loaded without it. It means
    /// nothing while no user is signed in. Other programs that have it open are asked to let it go, and
    /// loading waits for them. Core Data calls it `NSPersistentStoreRebuildFromUbiquitousContentOption`.
    public var rebuildsFromContent: Bool

    /// Options; what is left out has its default.
    public init(
        contentURL: URL? = nil, containerIdentifier: String? = nil, needsAccount: Bool = false,
        rebuildsFromContent: Bool = false
    ) {
        (self.contentURL, self.containerIdentifier) = (contentURL, containerIdentifier)
        (self.needsAccount, self.rebuildsFromContent) = (needsAccount, rebuildsFromContent)
    }

    var message: SharingOptionsMessage {
        SharingOptionsMessage(
            needsAccount: needsAccount, rebuilds: rebuildsFromContent,
            path: contentURL.map(Self.path) ?? "", container: containerIdentifier ?? "")
    }

    /// What the service checks: a path, relative if the URL is; any other URL as a text that is refused.
    private static func path(of url: URL) -> String {
        if url.scheme == nil || url.baseURL != nil { return url.relativePath }
        return url.isFileURL ? url.path : url.absoluteString
    }
}
