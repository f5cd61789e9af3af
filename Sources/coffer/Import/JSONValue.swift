/// A value of a JSON text.
enum JSONValue {
    case null
    case boolean(Bool)
    /// A number, as the text has it.
    case number(String)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    /// The text of a scalar; `nil` for others and for null.
    var scalarText: String? {
        switch self {
        case .text(let text), .number(let text): text
        case .boolean(let truth): truth ? "true" : "false"
        case .null, .list, .object: nil
        }
    }
}
