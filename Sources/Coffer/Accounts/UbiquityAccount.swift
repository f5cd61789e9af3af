internal import CofferFormats
internal import CofferModel
internal import CofferWire
public import FoundationEssentials

/// An account that a user is or was signed in to on this machine, for tools and settings.
///
/// An account is a folder that other software carries between machines; applications know it by a
/// `UbiquityIdentityToken` only.
public struct UbiquityAccount: Sendable, Equatable {
    /// Its number on this machine, the same for ever.
    public let number: UInt32
    /// Which account it is, wherever its folder lies: 32 hexadecimal digits of the marker there.
    public let root: String
    /// What its person calls it.
    public let name: String
    /// The path of its folder at the last sign-in.
    public let path: String
    /// Since when a user is signed in to it; `nil` if none is.
    public let signedIn: Date?
}

extension UbiquityAccount {
    init(_ message: AccountMessage) {
        self.init(
            number: message.number, root: HexadecimalDigits.text(of: message.root), name: message.name,
            path: message.path,
            signedIn: message.signedIn.map { Date(timeIntervalSinceReferenceDate: $0) })
    }
}
