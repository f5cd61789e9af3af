internal import CofferMerge
internal import CofferModel

extension RecordID {
    /// A name for stories: ids of a simulation are small.
    var label: String { "\(String(high, radix: 16)).\(low)" }
}

extension Collection<RecordID> {
    var labels: String { "{" + sorted().map(\.label).joined(separator: ", ") + "}" }
}

extension String {
    /// The text so that what only looks alike is told apart, and what is long is cut.
    fileprivate var label: String {
        let scalars = unicodeScalars.prefix(24).map { scalar in
            scalar.isASCII ? "\(scalar)" : "\\u{\(String(scalar.value, radix: 16))}"
        }
        return scalars.joined() + (utf8.count > 24 ? "…" : "")
    }
}

extension AttributeValue {
    var label: String {
        switch self {
        case .null: "null"
        case .string(let text): "'\(text.label)'"
        default: "\(self)"
        }
    }
}

extension LocalEdit.Change {
    /// What was done, in words; `nil` for what only fills in an insert.
    var label: String? {
        switch self {
        case .insert(let name, let entity): "inserts \(entity) \(name.label)"
        case .set(let name, let property, let cell):
            switch cell.content {
            case .null: cell.isDefaulted ? nil : "sets \(name.label).\(property) to null"
            case .value(let value):
                cell.isDefaulted ? nil : "sets \(name.label).\(property) to \(value.label)"
            case .large(let value):
                "sets \(name.label).\(property) to a value of \(value.byteCount) bytes"
            case .record(let target): "sets \(name.label).\(property) to \(target.label)"
            }
        case .delete(let name, let property):
            "deletes \(name.label)" + (property.map { " through \($0)" } ?? "")
        case .pair(let name, let property, let other, let isIn):
            isIn
                ? "adds \(other.label) to \(name.label).\(property)"
                : "removes \(other.label) from \(name.label).\(property)"
        case .order(let name, let property, let members):
            "orders \(name.label).\(property): \(members.map(\.label).joined(separator: " "))"
        }
    }
}
