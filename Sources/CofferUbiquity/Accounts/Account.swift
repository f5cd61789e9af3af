package import CofferContainer

/// A person whose data several machines share, by a folder that other software carries between them.
package struct Account: Equatable, Sendable {
    /// Its number here: never that of another account, and the same for ever.
    package let number: Int64
    /// Which account it is: what a marker in its folder says.
    package let root: ContainerID
    /// What its person calls it on this machine.
    package let name: String
    /// The absolute path of its folder, as it was at the last sign-in.
    package let path: String
    /// Since when it is signed in, in seconds since 2001-01-01 UTC; `nil` if it is not.
    package let signedIn: Double?

    /// The account as it is when it is not signed in.
    package var signedOut: Account {
        Account(number: number, root: root, name: name, path: path, signedIn: nil)
    }
}
