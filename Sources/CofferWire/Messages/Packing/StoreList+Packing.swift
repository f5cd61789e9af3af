internal import CCofferMessages
internal import CofferModel
internal import FoundationEssentials

extension CloseStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__CloseStoreRequest>) {
        unsafe coffer__v1__close_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__CloseStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(store: c.store)
    }

    func fill(_ c: inout Coffer__V1__CloseStoreRequest, in arena: inout PackArena) {
        unsafe c.store = store
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ListStoresRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListStoresRequest>) {
        unsafe coffer__v1__list_stores_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListStoresRequest>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(allApplications: c.all_applications != 0)
    }

    func fill(_ c: inout Coffer__V1__ListStoresRequest, in arena: inout PackArena) {
        unsafe c.all_applications = allApplications ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension StoreDescriptionMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__StoreDescription>) {
        unsafe coffer__v1__store_description__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__StoreDescription>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: required(c.name, "coffer.v1.StoreDescription.name"),
            path: c.path.text("coffer.v1.StoreDescription.path"), byteCount: c.byte_count,
            isOpen: c.is_open != 0, type: StoreType.read(c.type, "coffer.v1.StoreDescription.type"))
    }

    func fill(_ c: inout Coffer__V1__StoreDescription, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.path = arena.text(path)
        unsafe c.byte_count = byteCount
        unsafe c.is_open = isOpen ? 1 : 0
        unsafe c.type = StoreType.written(type)
    }
}

extension ListStoresReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListStoresReply>) {
        unsafe coffer__v1__list_stores_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListStoresReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            stores: messages(c.stores, count: c.n_stores, field: "coffer.v1.ListStoresReply.stores"))
    }

    func fill(_ c: inout Coffer__V1__ListStoresReply, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_stores, c.stores) = arena.list(stores)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension WatchRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__WatchRequest>) {
        unsafe coffer__v1__watch_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__WatchRequest>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(store: c.store, isStop: c.stop != 0)
    }

    func fill(_ c: inout Coffer__V1__WatchRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.stop = isStop ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension WatchReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__WatchReply>) {
        unsafe coffer__v1__watch_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__WatchReply>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(number: c.number)
    }

    func fill(_ c: inout Coffer__V1__WatchReply, in arena: inout PackArena) {
        unsafe c.number = number
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
