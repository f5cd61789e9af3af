extension AccountMessage {
    /// Since when it is signed in to, in seconds since 2001-01-01 UTC; `nil` if it is signed out.
    package var signedIn: Double? { isSignedIn ? since : nil }

    /// An account that is signed in since a time, or signed out.
    package init(number: UInt32, root: [UInt8], name: String, path: String, signedIn: Double?) {
        self.init(
            number: number, root: root, name: name, path: path, isSignedIn: signedIn != nil,
            since: signedIn ?? 0)
    }
}
