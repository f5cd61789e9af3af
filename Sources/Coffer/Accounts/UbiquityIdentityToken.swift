/// An opaque token for the account that is signed in, as one application knows it.
///
/// Two tokens are equal if they stand for the same account: after a restart, after signing out and in
/// again, and wherever the account's folder lies. Another account has another one; so has the same account
/// for another application or on another machine. It is like that of Foundation's `FileManager`, and can be
/// stored to be compared later.
///
/// ```swift
/// let connection = try ServiceConnection(application: "org.example.Notes")
/// for await token in try connection.ubiquityIdentityTokens() {
///     showSyncBadge(isOn: token != nil)
/// }
/// ```
public struct UbiquityIdentityToken: Hashable, Sendable, Codable {
    /// 32 bytes that mean nothing but themselves.
    let bytes: [UInt8]
}
