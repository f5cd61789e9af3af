internal import CCofferMessages

extension ListFormerReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListFormerReply>) {
        unsafe coffer__v1__list_former_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListFormerReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            contents: messages(
                c.contents, count: c.n_contents, field: "coffer.v1.ListFormerReply.contents"))
    }

    func fill(_ c: inout Coffer__V1__ListFormerReply, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_contents, c.contents) = arena.list(contents)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension FormerContentMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__FormerContent>) {
        unsafe coffer__v1__former_content__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__FormerContent>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: required(c.name, "coffer.v1.FormerContent.name"), number: c.number,
            account: c.account == 0 ? nil : c.account, since: c.since, until: c.until,
            byteCount: c.byte_count)
    }

    func fill(_ c: inout Coffer__V1__FormerContent, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe (c.number, c.account, c.byte_count) = (number, account ?? 0, byteCount)
        unsafe (c.since, c.until) = (since, until)
    }
}

extension RestoreFormerRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RestoreFormerRequest>) {
        unsafe coffer__v1__restore_former_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RestoreFormerRequest>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: required(c.name, "coffer.v1.RestoreFormerRequest.name"), number: c.number)
    }

    func fill(_ c: inout Coffer__V1__RestoreFormerRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.number = number
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ListDebtsReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListDebtsReply>) {
        unsafe coffer__v1__list_debts_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListDebtsReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            debts: messages(c.debts, count: c.n_debts, field: "coffer.v1.ListDebtsReply.debts"))
    }

    func fill(_ c: inout Coffer__V1__ListDebtsReply, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_debts, c.debts) = arena.list(debts)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension DebtMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Debt>) {
        unsafe coffer__v1__debt__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Debt>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: required(c.name, "coffer.v1.Debt.name"), account: c.account, unexported: c.unexported)
    }

    func fill(_ c: inout Coffer__V1__Debt, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe (c.account, c.unexported) = (account, unexported)
    }
}
