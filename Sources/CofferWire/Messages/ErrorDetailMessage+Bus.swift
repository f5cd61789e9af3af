// On the bus an error is a name for programs and a text for people: bindings show no more of it.

extension ErrorDetailMessage {
    private static let busErrorPrefix = "org.coffer.Storage1.Error."

    /// The name of the error on the bus: its code, and its reason if it has one, for example
    /// `org.coffer.Storage1.Error.Unavailable.locked`.
    package var busErrorName: String {
        Self.busErrorPrefix + code.name + (isReasonWord ? ".\(reason)" : "")
    }

    /// Whether the reason can stand in a name on the bus: a program that a migration calls may send any.
    private var isReasonWord: Bool {
        let bytes = reason.utf8
        guard let first = bytes.first, bytes.count <= Limits.busErrorWord else { return false }
        return UInt8(ascii: "a")...UInt8(ascii: "z") ~= first
            && bytes.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || $0 == UInt8(ascii: "_")
            }
    }

    /// What an error on the bus says, without its place; `nil` if it is not one of the service's.
    package init?(busErrorName name: String, text: String) {
        guard name.hasPrefix(Self.busErrorPrefix) else { return nil }
        let words = name.dropFirst(Self.busErrorPrefix.count).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let word = words.first, let code = StatusCode.allCases.first(where: { $0.name == word }) else {
            return nil
        }
        self.init(code: code, reason: words.count > 1 ? String(words[1]) : "", text: text)
    }
}
