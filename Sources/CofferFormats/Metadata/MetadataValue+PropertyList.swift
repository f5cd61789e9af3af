package import CofferModel
internal import FoundationEssentials

extension MetadataValue {
    /// A value of a property list.
    ///
    /// An integer that does not fit is its digits; `nil` for what only keyed archives have, references and
    /// absent values, and for infinite dates, also inside an array or a dictionary.
    package init?(_ value: PropertyListValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .largeInteger(let number): self = .string(String(number))
        case .real(let number): self = .real(number)
        case .boolean(let truth): self = .boolean(truth)
        case .date(let date):
            guard date.timeIntervalSinceReferenceDate.isFinite else { return nil }
            self = .date(date)
        case .data(let bytes): self = .data(bytes)
        case .array(let values):
            let members = values.compactMap { MetadataValue($0) }
            guard members.count == values.count else { return nil }
            self = .array(members)
        case .dictionary(let values):
            let members = values.compactMapValues { MetadataValue($0) }
            guard members.count == values.count else { return nil }
            self = .dictionary(members)
        case .reference, .null: return nil
        }
    }

    /// The value as a property list has it.
    package var propertyListValue: PropertyListValue {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .boolean(let truth): .boolean(truth)
        case .date(let date): .date(date)
        case .data(let bytes): .data(bytes)
        case .array(let values): .array(values.map(\.propertyListValue))
        case .dictionary(let values): .dictionary(values.mapValues(\.propertyListValue))
        }
    }

    /// How deep arrays and dictionaries are in one another; 0 for what is neither.
    package var depth: Int {
        switch self {
        case .array(let values): 1 + (values.map(\.depth).max() ?? 0)
        case .dictionary(let values): 1 + (values.values.map(\.depth).max() ?? 0)
        default: 0
        }
    }

    /// The value as a binary property list.
    package var propertyList: [UInt8] { BinaryPropertyListWriter.bytes(of: propertyListValue) }

    /// Reads a binary property list.
    ///
    /// - Throws: `FormatError.damagedPropertyList` if it is not a property list, or has what no metadata
    ///   have.
    package init(propertyList bytes: [UInt8]) throws(FormatError) {
        guard let value = MetadataValue(try BinaryPropertyListReader.read(bytes)) else {
            throw .damagedPropertyList(reason: "it has a reference, an absent value or a date without end")
        }
        self = value
    }
}
