internal import CCofferMessages

extension AccountMessage: @unsafe CMessage {
    private static let rootByteCount = 16

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Account>) {
        unsafe coffer__v1__account__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Account>) throws(WireError) {
        let c = unsafe message.pointee
        let root = unsafe c.root.array()
        guard root.count == Self.rootByteCount else { throw .malformed("coffer.v1.Account.root") }
        try unsafe self.init(
            number: c.number, root: root, name: c.name.text("coffer.v1.Account.name"),
            path: c.path.text("coffer.v1.Account.path", limit: Limits.text),
            signedIn: c.signed_in != 0 ? c.since : nil)
    }

    func fill(_ c: inout Coffer__V1__Account, in arena: inout PackArena) {
        unsafe c.number = number
        unsafe c.root = arena.data(root)
        unsafe c.name = arena.text(name)
        unsafe c.path = arena.text(path)
        unsafe c.signed_in = signedIn == nil ? 0 : 1
        unsafe c.since = signedIn ?? 0
    }
}

extension SignInRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SignInRequest>) {
        unsafe coffer__v1__sign_in_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SignInRequest>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: c.name.text("coffer.v1.SignInRequest.name"),
            path: c.path.text("coffer.v1.SignInRequest.path", limit: Limits.text))
    }

    func fill(_ c: inout Coffer__V1__SignInRequest, in arena: inout PackArena) {
        unsafe c.name = arena.text(name)
        unsafe c.path = arena.text(path)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension AccountReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__AccountReply>) {
        unsafe coffer__v1__account_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__AccountReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            account: required(c.account, "coffer.v1.AccountReply.account"), unexported: c.unexported)
    }

    func fill(_ c: inout Coffer__V1__AccountReply, in arena: inout PackArena) throws(WireError) {
        try unsafe c.account = arena.make(account)
        unsafe c.unexported = unexported
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ListAccountsReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListAccountsReply>) {
        unsafe coffer__v1__list_accounts_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListAccountsReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            accounts: messages(
                c.accounts, count: c.n_accounts, field: "coffer.v1.ListAccountsReply.accounts"))
    }

    func fill(_ c: inout Coffer__V1__ListAccountsReply, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_accounts, c.accounts) = arena.list(accounts)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension IdentityTokenReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__IdentityTokenReply>) {
        unsafe coffer__v1__identity_token_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__IdentityTokenReply>) throws(WireError) {
        let c = unsafe message.pointee
        let token = unsafe c.token.array()
        if !token.isEmpty { _ = try unsafe c.token.digest("coffer.v1.IdentityTokenReply.token") }
        self.init(token: token)
    }

    func fill(_ c: inout Coffer__V1__IdentityTokenReply, in arena: inout PackArena) {
        unsafe c.token = arena.data(token)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
