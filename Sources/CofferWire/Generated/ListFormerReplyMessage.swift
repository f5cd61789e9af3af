// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// What was put aside.
///
/// `coffer.v1.ListFormerReply`.
package struct ListFormerReplyMessage: Sendable, Equatable {
    /// In the order of application, name and number.
    package var contents: [FormerContentMessage]

    /// A message from its fields.
    package init(contents: [FormerContentMessage]) {
        self.contents = contents
    }
}

extension ListFormerReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListFormerReply>) {
        unsafe coffer__v1__list_former_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListFormerReply>) throws(WireError) {
        let c = unsafe message.pointee
        contents = try unsafe messages(
            c.contents, count: c.n_contents, field: "coffer.v1.ListFormerReply.contents")
    }

    func fill(_ c: inout Coffer__V1__ListFormerReply, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_contents, c.contents) = arena.list(contents)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
