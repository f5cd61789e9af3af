/// `coffer.v1.ListFormerReply`.
package struct ListFormerReplyMessage: Sendable, Equatable {
    /// In the order of application, name and number.
    package var contents: [FormerContentMessage]

    /// A reply from its field.
    package init(contents: [FormerContentMessage]) { self.contents = contents }
}

/// `coffer.v1.FormerContent`: a file of a shared store that is served no more, and kept for a while.
package struct FormerContentMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// Which of its files.
    package var number: UInt64
    /// The number of the account that it belongs to; `nil` where it is nobody's.
    package var account: UInt32?
    /// When it was put aside, in seconds since 2001-01-01 UTC.
    package var since: Double
    /// When it is deleted, in seconds since 2001-01-01 UTC.
    package var until: Double
    /// How much room it takes.
    package var byteCount: UInt64

    /// A content from its fields.
    package init(
        name: StoreNameMessage, number: UInt64, account: UInt32?, since: Double, until: Double,
        byteCount: UInt64
    ) {
        (self.name, self.number, self.account) = (name, number, account)
        (self.since, self.until, self.byteCount) = (since, until, byteCount)
    }
}

/// `coffer.v1.RestoreFormerRequest`: joins what was put aside into what its store is served with.
package struct RestoreFormerRequestMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// Which of its files.
    package var number: UInt64

    /// A request from its fields.
    package init(name: StoreNameMessage, number: UInt64) { (self.name, self.number) = (name, number) }
}

/// `coffer.v1.ListDebtsReply`.
package struct ListDebtsReplyMessage: Sendable, Equatable {
    /// In the order of application, name and account.
    package var debts: [DebtMessage]

    /// A reply from its field.
    package init(debts: [DebtMessage]) { self.debts = debts }
}

/// `coffer.v1.Debt`: what a store has written for other machines that is not in an account's container.
package struct DebtMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// The number of the account.
    package var account: UInt32
    /// How often it has written something that is not there yet.
    package var unexported: UInt64

    /// A debt from its fields.
    package init(name: StoreNameMessage, account: UInt32, unexported: UInt64) {
        (self.name, self.account, self.unexported) = (name, account, unexported)
    }
}
