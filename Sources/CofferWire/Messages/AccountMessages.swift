/// `coffer.v1.Account`: somebody whose data several machines share.
package struct AccountMessage: Sendable, Equatable {
    /// Its number on this machine.
    package var number: UInt32
    /// 16 bytes: which account it is.
    package var root: [UInt8]
    /// What its person calls it.
    package var name: String
    /// The absolute path of its folder.
    package var path: String
    /// Since when somebody is signed in, in seconds since 2001-01-01 UTC; `nil` where nobody is.
    package var signedIn: Double?

    /// An account from its fields.
    package init(number: UInt32, root: [UInt8], name: String, path: String, signedIn: Double?) {
        self.number = number
        self.root = root
        self.name = name
        self.path = path
        self.signedIn = signedIn
    }
}

/// `coffer.v1.SignInRequest`: signs in, and out of any other account.
package struct SignInRequestMessage: Sendable, Equatable {
    /// What the account is called here.
    package var name: String
    /// The absolute path of its folder.
    package var path: String

    /// A request from its fields.
    package init(name: String, path: String) { (self.name, self.path) = (name, path) }
}

/// `coffer.v1.AccountReply`: the account that was signed in to or out of.
package struct AccountReplyMessage: Sendable, Equatable {
    /// As it is now.
    package var account: AccountMessage
    /// After signing out: how often its stores have written something that is not in their containers yet.
    package var unexported: UInt64

    /// A reply from its fields.
    package init(account: AccountMessage, unexported: UInt64 = 0) {
        (self.account, self.unexported) = (account, unexported)
    }
}

/// `coffer.v1.ListAccountsReply`.
package struct ListAccountsReplyMessage: Sendable, Equatable {
    /// In the order in which they came to be known.
    package var accounts: [AccountMessage]

    /// A reply from its field.
    package init(accounts: [AccountMessage]) { self.accounts = accounts }
}

/// `coffer.v1.IdentityTokenReply`.
package struct IdentityTokenReplyMessage: Sendable, Equatable {
    /// 32 bytes; empty where nobody is signed in.
    package var token: [UInt8]

    /// A reply from its field.
    package init(token: [UInt8]) { self.token = token }
}
