internal import CCofferMessages
internal import FoundationEssentials

extension RemoveStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RemoveStoreRequest>) {
        unsafe coffer__v1__remove_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RemoveStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: required(c.name, "coffer.v1.RemoveStoreRequest.name"), isEvenIfOpen: c.even_if_open != 0,
            waitMilliseconds: c.wait_milliseconds)
    }

    func fill(_ c: inout Coffer__V1__RemoveStoreRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.even_if_open = isEvenIfOpen ? 1 : 0
        unsafe c.wait_milliseconds = waitMilliseconds
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ReplaceStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ReplaceStoreRequest>) {
        unsafe coffer__v1__replace_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ReplaceStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: required(c.name, "coffer.v1.ReplaceStoreRequest.name"),
            waitMilliseconds: c.wait_milliseconds)
        if unsafe c.shared_replacement.rawValue != 0 {
            sharedReplacement = try unsafe choice(
                c.shared_replacement.rawValue, "coffer.v1.ReplaceStoreRequest.shared_replacement")
        }
    }

    func fill(_ c: inout Coffer__V1__ReplaceStoreRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.wait_milliseconds = waitMilliseconds
        unsafe c.shared_replacement = Coffer__V1__SharedReplacement(
            rawValue: sharedReplacement?.rawValue ?? 0)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ReplaceStoreReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ReplaceStoreReply>) {
        unsafe coffer__v1__replace_store_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ReplaceStoreReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(uuid: c.uuid.uuid("coffer.v1.ReplaceStoreReply.uuid"), number: c.number)
    }

    func fill(_ c: inout Coffer__V1__ReplaceStoreReply, in arena: inout PackArena) {
        unsafe c.uuid = arena.uuid(uuid)
        unsafe c.number = number
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension StoresWillChangeRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__StoresWillChangeRequest>) {
        unsafe coffer__v1__stores_will_change_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__StoresWillChangeRequest>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            store: c.store, isRemoved: c.removed != 0,
            transition: StoreTransitionMessage(
                kind: c.transition.rawValue, question: c.question,
                field: "coffer.v1.StoresWillChangeRequest.transition"))
    }

    func fill(_ c: inout Coffer__V1__StoresWillChangeRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.removed = isRemoved ? 1 : 0
        unsafe c.transition = Coffer__V1__StoreTransition(rawValue: transition?.kind.rawValue ?? 0)
        unsafe c.question = transition?.question ?? 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
