internal import CofferContainer
internal import CofferFormats

/// Tells an application whose data it sees, and nothing else of the account: 32 bytes.
///
/// It is a keyed hash of the application's id and of what the marker of the account's folder says. So it is
/// the same after a restart, after signing out and in again, and wherever the folder lies; another account
/// has another one, and neither another application nor another machine can compare its own with it.
package struct IdentityToken: Hashable, Sendable {
    /// The 32 bytes.
    package let bytes: [UInt8]

    /// What an application knows an account by; `key` is the machine's.
    init(of root: ContainerID, for application: String, key: [UInt8]) {
        // The id has a fixed length, so that no two pairs make one message.
        bytes = KeyedHash.digest(of: root.bytes + Array(application.utf8), key: key)
    }
}
