internal import CofferModel
package import CofferWire

extension CofferError {
    /// What a packed ErrorDetail says; `status` is that of its frame.
    init(detail bytes: [UInt8], status: StatusCode) {
        do throws(WireError) {
            self.init(try ErrorDetailMessage(packed: bytes))
        } catch {
            self = .refused(
                code: status.name, reason: "", text: "The service gave no readable reason.", place: "")
        }
    }

    /// What an ErrorDetail says.
    package init(_ detail: ErrorDetailMessage) {
        if let error = QueryError(detail) {
            self = .predicate(error)
            return
        }
        if detail.reason == "generation_expired" {
            self = .generationExpired
            return
        }
        self = .refused(code: detail.code.name, reason: detail.reason, text: detail.text, place: detail.place)
    }

    /// A message that cannot be packed, or what came cannot be read.
    package init(_ error: WireError) {
        switch error {
        case .tooLarge(let what, let byteCount, let limit):
            self = .refused(
                code: StatusCode.resourceExhausted.name, reason: "too_large",
                text: "\(what) takes \(byteCount) bytes, \(limit) are allowed: do it in smaller pieces.",
                place: what)
        default: self = .protocolViolation("\(error)")
        }
    }
}

extension QueryError {
    /// What a store said of a predicate that it cannot answer; `nil` for all else.
    fileprivate init?(_ detail: ErrorDetailMessage) {
        guard detail.reason == "not_in_store" else { return nil }
        let prefix = "A store cannot answer '\(detail.place)': "
        let reason = detail.text.hasPrefix(prefix) ? detail.text.dropFirst(prefix.count).dropLast() : ""
        self = .notInStore(detail.place, reason: reason.isEmpty ? detail.text : String(reason))
    }
}
