package import CofferFormats
internal import CofferModel

extension StoreMetadata {
    /// The key of a dictionary of those texts that may not stand at the top of the property list: keys that
    /// look like Core Data's own, and in older stores all of them.
    private static let entriesKey = "CofferMetadata"

    /// The metadata that applications have set, by key: texts, numbers, flags and dates, the latter as texts.
    ///
    /// They stand at the top of the property list, where Core Data has them. Setting a value to the text that
    /// it was read as keeps its type, and a number may be replaced by another number. Values that have no
    /// text form, such as lists and bytes, are neither shown nor touched, unless their key is set.
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

    private static func isApplications(_ key: String) -> Bool {
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

    /// Converts a text to the type of the value that was there, where that is possible.
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
