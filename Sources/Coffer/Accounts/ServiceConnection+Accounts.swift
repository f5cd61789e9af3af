internal import CofferWire

/// Signing in and out, and the identity of the account that is signed in.
extension ServiceConnection {
    /// The token by which this application knows the account that is signed in; `nil` if none is.
    ///
    /// - Throws: `.unavailable` if the service cannot be reached, `.refused` if its accounts cannot be read.
    public func ubiquityIdentityToken() throws(CofferError) -> UbiquityIdentityToken? {
        try Self.identityToken(of: client)
    }

    private static func identityToken(of client: ChannelClient) throws(CofferError) -> UbiquityIdentityToken?
    {
        let reply = try client.call(.identityToken, EmptyMessage(), reply: IdentityTokenReplyMessage.self)
        return reply.token.isEmpty ? nil : UbiquityIdentityToken(bytes: reply.token)
    }

    /// The token now, and whenever it differs from the one before: because a user signed in or out, or did
    /// so while the service was away.
    ///
    /// It ends with the task that reads it; if the service cannot be asked, it goes on when it can. A slow
    /// reader is given the newest token only.
    ///
    /// - Throws: `.unavailable` if the service cannot be reached, `.refused` if its accounts cannot be read.
    public func ubiquityIdentityTokens() throws(CofferError) -> AsyncStream<UbiquityIdentityToken?> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: UbiquityIdentityToken?.self, bufferingPolicy: .bufferingNewest(1))
        let news = IdentityTokenNews { continuation.yield($0) }
        // What ends the stream keeps the client, so that it goes on without this connection.
        let listener = client.identityListeners.add { [weak client] in
            guard let client else { return }
            let question = news.beginQuestion()
            do throws(CofferError) {
                news.answer(question, try Self.identityToken(of: client))
            } catch {
                // The service is away, or cannot read its accounts: it is asked when that may have changed.
            }
        }
        continuation.onTermination = { [client] _ in client.identityListeners.remove(listener) }
        let question = news.beginQuestion()
        news.answer(question, try ubiquityIdentityToken())
        return stream
    }

    /// The accounts that a user is or was signed in to, in the order in which they came to be known.
    ///
    /// - Throws: `.refused` over the system bus and out of a sandbox, `.unavailable`.
    public func accounts() throws(CofferError) -> [UbiquityAccount] {
        try client.call(.listAccounts, EmptyMessage(), reply: ListAccountsReplyMessage.self).accounts.map {
            UbiquityAccount($0)
        }
    }

    /// Signs in to the account of a folder, and out of any other.
    ///
    /// A marker in the folder says which account it is. If the folder has no marker, one is put there. So
    /// the folder may lie elsewhere than at the last sign-in.
    ///
    /// - Parameters:
    ///   - name: What the account is called on this machine.
    ///   - path: The absolute path of its folder, which other software carries between machines.
    /// - Returns: The account.
    /// - Throws: `.refused` if another account has the name, the folder cannot be reached or written, over
    ///   the system bus and out of a sandbox; the present sign-in then stands. `.unavailable`.
    @discardableResult
    public func signIn(as name: String, at path: String) throws(CofferError) -> UbiquityAccount {
        let request = SignInRequestMessage(name: name, path: path)
        return UbiquityAccount(
            try client.call(.signIn, request, reply: AccountReplyMessage.self).account)
    }

    /// Signs out of the account that is signed in.
    ///
    /// - Returns: The account.
    /// - Throws: `.refused` if no user is signed in, over the system bus and out of a sandbox;
    ///   `.unavailable`.
    @discardableResult
    public func signOut() throws(CofferError) -> UbiquityAccount {
        UbiquityAccount(try client.call(.signOut, EmptyMessage(), reply: AccountReplyMessage.self).account)
    }
}
