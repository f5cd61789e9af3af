internal import CCofferMessages
internal import CofferModel

/// `coffer.v1.UserInfo`.
struct NoteForm {
    var key: String
    var value: String
}

extension NoteForm: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__UserInfo>) {
        unsafe coffer__v1__user_info__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__UserInfo>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            key: c.key.text("coffer.v1.UserInfo.key", limit: Limits.text),
            value: c.value.text("coffer.v1.UserInfo.value", limit: Limits.text))
    }

    func fill(_ c: inout Coffer__V1__UserInfo, in arena: inout PackArena) {
        unsafe c.key = arena.text(key)
        unsafe c.value = arena.text(value)
    }
}

extension NoteForm {
    /// The notes of an entity or a property, by key.
    static func list(_ userInfo: [String: String]) -> [NoteForm] {
        userInfo.sorted { $0.key < $1.key }.map { NoteForm(key: $0.key, value: $0.value) }
    }

    /// The notes of a message's `field`.
    ///
    /// - Throws: `WireError.malformed` if two have one key, and what reading their texts throws.
    static func dictionary(
        _ notes: UnsafeMutablePointer<UnsafeMutablePointer<Coffer__V1__UserInfo>?>?, count: Int,
        _ field: StaticString
    ) throws(WireError) -> [String: String] {
        let list = try unsafe messages(
            notes, count: count, field: field, limit: Limits.modelElements, as: NoteForm.self)
        return try CofferWire.dictionary(list.map { ($0.key, $0.value) }, field)
    }
}
