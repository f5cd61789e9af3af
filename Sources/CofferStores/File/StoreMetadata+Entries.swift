package import CofferFormats
internal import CofferModel

extension StoreMetadata {
    /// Under which a dictionary of texts stands that may not be at the top of the property list: those whose
    /// keys look like Core Data's own, and all of them in stores of before.
    static let entriesKey = "CofferMetadata"

    /// What applications have noted, by key: texts, numbers, flags and dates, the latter as texts.
    ///
    /// They stand at the top of the property list, where Core Data has them. A value that is set to the text
    /// which it was shown as stays of its kind, and so does a number that becomes another. What no text can
    /// say, such as lists and bytes, is neither shown nor touched, unless its key is set.
    package var entries: [String: String] {
        get {
            var entries = formerEntries
            for (key, value) in other where Self.isApplications(key) { entries[key] = Self.text(of: value) }
            return entries
        }
        set {
            let present = entries
            var aside: [String: String] = [:]
            for key in present.keys where newValue[key] == nil && Self.isApplications(key) {
                other[key] = nil
            }
            for (key, text) in newValue {
                guard Self.isApplications(key) else {
                    aside[key] = text
                    continue
                }
                if other[key] != nil, present[key] == text { continue }
                other[key] = Self.value(text, like: other[key])
            }
            other[Self.entriesKey] =
                aside.isEmpty ? nil : .dictionary(aside.mapValues { .string($0) })
        }
    }

    private var formerEntries: [String: String] {
        (other[Self.entriesKey]?.dictionary ?? [:]).compactMapValues(\.string)
    }

    /// Whether applications may use a key as they like.
    static func isApplications(_ key: String) -> Bool {
        !key.hasPrefix("NS") && !key.hasPrefix("_NS") && key != entriesKey
    }

    private static func text(of value: PropertyListValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .largeInteger(let number): String(number)
        case .real(let number): String(number)
        case .boolean(let flag): flag ? "true" : "false"
        case .date(let date): DateText.text(of: date)
        case .dictionary, .array, .data, .reference, .null: nil
        }
    }

    /// A text as a value of the kind that was there, where it can be one.
    private static func value(_ text: String, like former: PropertyListValue?) -> PropertyListValue {
        let value: PropertyListValue? =
            switch former {
            case .integer, .largeInteger: Int64(text).map { .integer($0) }
            case .real: Double(text).map { .real($0) }
            case .boolean: Bool(text).map { .boolean($0) }
            case .date: DateText.date(text).map { .date($0) }
            default: nil
            }
        return value ?? .string(text)
    }
}
