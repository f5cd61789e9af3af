internal import CofferContainer
internal import CofferMerge
internal import CofferModel

/// Texts so long that registers only name them; the texts themselves lie beside the registers, in pieces.
enum LongText {
    /// A few of them, by what stands for them.
    static let all: [LargeValue: AttributeValue] = Dictionary(
        uniqueKeysWithValues: ["m", "n"].compactMap { letter in
            let text = AttributeValue.string(String(repeating: letter, count: Limits.largeByteCount + 1))
            return LargeValue(text).map { ($0, text) }
        })

    /// What stands for them, always in one order.
    static let values: [LargeValue] = all.keys.sorted { $0.hashes.lexicographicallyPrecedes($1.hashes) }

    /// What a cell holds that says an attribute has this value.
    static func content(of value: AttributeValue) -> Cell.Content {
        if value.isNull { return .null }
        return LargeValue(value).map { .large($0) } ?? .value(value)
    }

    /// The value of a content that is not a reference.
    static func value(of content: Cell.Content) -> AttributeValue {
        switch content {
        case .value(let value): value
        case .large(let value): all[value] ?? .null
        case .null, .record: .null
        }
    }
}
