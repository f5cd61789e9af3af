internal import CCofferMessages

extension OpenStoreReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .model }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__OpenStoreReply>) {
        unsafe coffer__v1__open_store_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__OpenStoreReply>) throws(WireError) {
        let c = unsafe message.pointee
        switch unsafe c.outcome_case {
        case COFFER__V1__OPEN_STORE_REPLY__OUTCOME_OPENED:
            self = .opened(try unsafe required(c.opened, "coffer.v1.OpenStoreReply.opened"))
        case COFFER__V1__OPEN_STORE_REPLY__OUTCOME_NEED_MODEL: self = .needModel
        case COFFER__V1__OPEN_STORE_REPLY__OUTCOME_INCOMPATIBLE:
            self = .incompatible(try unsafe required(c.incompatible, "coffer.v1.OpenStoreReply.incompatible"))
        default: throw .malformed("coffer.v1.OpenStoreReply: without an outcome")
        }
    }

    func fill(_ c: inout Coffer__V1__OpenStoreReply, in arena: inout PackArena) throws(WireError) {
        switch self {
        case .opened(let opened):
            unsafe c.outcome_case = COFFER__V1__OPEN_STORE_REPLY__OUTCOME_OPENED
            try unsafe c.opened = arena.make(opened)
        case .needModel:
            unsafe c.outcome_case = COFFER__V1__OPEN_STORE_REPLY__OUTCOME_NEED_MODEL
            unsafe c.need_model = arena.make(empty: coffer__v1__need_model__init)
        case .incompatible(let incompatible):
            unsafe c.outcome_case = COFFER__V1__OPEN_STORE_REPLY__OUTCOME_INCOMPATIBLE
            try unsafe c.incompatible = arena.make(incompatible)
        }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
