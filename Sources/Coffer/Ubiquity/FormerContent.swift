internal import CofferWire
public import FoundationEssentials

/// A store's file that was put aside when its container was deleted or replaced, or when local content was
/// not wanted at a sign-in; kept for 30 days.
public struct FormerContent: Sendable, Equatable {
    /// The application that the store belongs to.
    public let application: String
    /// The configuration of the model that it keeps.
    public let configuration: String
    /// The store's name.
    public let store: String
    /// Which of the store's files it is; it keeps the number.
    public let number: UInt64
    /// The number of the account that it belongs to; `nil` if it belongs to none.
    public let account: UInt32?
    /// When it was put aside.
    public let since: Date
    /// When it is deleted.
    public let until: Date
    /// Bytes of the file and its log.
    public let byteCount: UInt64
}

/// What a store has written for other machines that is not in its account's container yet.
public struct UnexportedContent: Sendable, Equatable {
    /// The application that the store belongs to.
    public let application: String
    /// The configuration of the model that it keeps.
    public let configuration: String
    /// The store's name.
    public let store: String
    /// The number of the account.
    public let account: UInt32
    /// How often it has written something that is not there, as far as is known: if the container cannot be
    /// reached, what was written before the service started is counted, too.
    public let count: UInt64
}

extension ServiceConnection {
    /// What was put aside of shared stores, of all applications, by application, name and number.
    ///
    /// - Throws: `.refused` over the system bus and out of a sandbox, `.unavailable`.
    public func formerContents() throws(CofferError) -> [FormerContent] {
        try client.call(.listFormer, EmptyMessage(), reply: ListFormerReplyMessage.self).contents.map {
            FormerContent($0)
        }
    }

    /// Joins what was put aside into what its store is served with, as an edit made here.
    ///
    /// What was deleted or changed there since stays so. To do it again changes nothing; the file is kept as
    /// long as otherwise.
    ///
    /// - Parameter content: What `formerContents()` tells of.
    /// - Throws: `.refused` if it is not there any more, or belongs to an account that the store does not
    ///   serve now; `.unavailable`.
    public func restore(_ content: FormerContent) throws(CofferError) {
        let name = StoreNameMessage(
            application: content.application, configuration: content.configuration, name: content.store)
        _ = try client.call(
            .restoreFormer, RestoreFormerRequestMessage(name: name, number: content.number),
            reply: EmptyMessage.self)
    }

    /// What is not in the containers of accounts, by application, name and account.
    ///
    /// It is to be asked before `signOut()`. Stores of which all is there are left out. If a container can be
    /// reached, what was saved is brought there first, which takes two seconds at most.
    /// - Throws: `.refused` over the system bus and out of a sandbox, `.unavailable`.
    public func unexportedContents() throws(CofferError) -> [UnexportedContent] {
        try client.call(.listDebts, EmptyMessage(), reply: ListDebtsReplyMessage.self).debts.map { debt in
            UnexportedContent(
                application: debt.name.application, configuration: debt.name.configuration,
                store: debt.name.name, account: debt.account, count: debt.unexported)
        }
    }
}

extension FormerContent {
    fileprivate init(_ message: FormerContentMessage) {
        self.init(
            application: message.name.application, configuration: message.name.configuration,
            store: message.name.name, number: message.number, account: message.account,
            since: Date(timeIntervalSinceReferenceDate: message.since),
            until: Date(timeIntervalSinceReferenceDate: message.until), byteCount: message.byteCount)
    }
}
