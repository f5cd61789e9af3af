// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// How a fetch is carried out: answers a FetchRequest that is not carried out.
///
/// `coffer.v1.ExplainReply`.
package struct ExplainReplyMessage: Sendable, Equatable {
    /// With `?` for each value.
    package var sql: String
    /// SQLite's plan, a line for each step.
    package var plan: [String]

    /// A message from its fields.
    package init(sql: String, plan: [String]) {
        self.sql = sql
        self.plan = plan
    }
}

extension ExplainReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .rows }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ExplainReply>) {
        unsafe coffer__v1__explain_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ExplainReply>) throws(WireError) {
        let c = unsafe message.pointee
        sql = try unsafe c.sql.text("coffer.v1.ExplainReply.sql", limit: Limits.frame)
        plan = try unsafe texts(c.plan, count: c.n_plan, field: "coffer.v1.ExplainReply.plan")
    }

    func fill(_ c: inout Coffer__V1__ExplainReply, in arena: inout PackArena) {
        unsafe c.sql = arena.text(sql)
        unsafe (c.n_plan, c.plan) = arena.texts(plan)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
