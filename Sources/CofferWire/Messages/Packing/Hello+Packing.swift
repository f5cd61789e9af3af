internal import CCofferMessages
internal import FoundationEssentials

extension ErrorDetailMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ErrorDetail>) {
        unsafe coffer__v1__error_detail__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ErrorDetail>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            code: choice(UInt16(clamping: c.code), "coffer.v1.ErrorDetail.code"),
            reason: c.reason.text("coffer.v1.ErrorDetail.reason"),
            text: c.text.text("coffer.v1.ErrorDetail.text", limit: Limits.text),
            place: c.place.text("coffer.v1.ErrorDetail.place"))
    }

    func fill(_ c: inout Coffer__V1__ErrorDetail, in arena: inout PackArena) {
        unsafe c.code = UInt32(code.rawValue)
        unsafe c.reason = arena.text(reason)
        unsafe c.text = arena.text(text)
        unsafe c.place = arena.text(place)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    /// The packed message; texts that are too long are cut, since an error must not fail.
    package func packed() -> [UInt8] {
        var cut = self
        cut.reason = reason.clipped(toBytes: Limits.name)
        cut.text = text.clipped(toBytes: Limits.errorText)
        cut.place = place.clipped(toBytes: Limits.name)
        do {
            return try unsafe cut.packing()
        } catch {
            return []  // Not reached: the three texts together are far below a frame's limit.
        }
    }
}
