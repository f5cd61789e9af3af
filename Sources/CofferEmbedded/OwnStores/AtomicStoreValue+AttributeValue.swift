import CofferFormats
import CofferModel
import CofferStores
import CofferWire
import FoundationEssentials

extension AtomicStoreValue {
    /// The value of an attribute, which is not null; `nil` for an object.
    init?(_ value: AttributeValue) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .boolean(let isTrue): self = .boolean(isTrue)
        case .double(let number): self = .real(number)
        case .float(let number): self = .real(Double(number))
        case .decimal(let number): self = .decimal(DecimalParts(number).digits)
        case .string(let text), .uri(let text): self = .text(text)
        case .date(let date): self = .date(date.timeIntervalSinceReferenceDate)
        case .binary(let bytes), .transformable(let bytes): self = .bytes(bytes)
        case .uuid(let uuid): self = .text(uuid.uuidString)
        case .null, .object: return nil
        }
    }

    /// The value as one of an attribute of `type`; `nil` if it is not a value of that type.
    func value(of type: AttributeType) -> AttributeValue? {
        switch (self, type) {
        case (.integer(let number), _): .integer(number)
        case (.boolean(let isTrue), _): .boolean(isTrue)
        case (.real(let number), .float): .float(Float(number))
        case (.real(let number), _): .double(number)
        case (.decimal(let digits), _): DecimalParts(text: digits)?.decimal.map { .decimal($0) }
        case (.text(let text), .uuid): UUID(uuidString: text).map { .uuid($0) }
        case (.text(let text), .uri): .uri(text)
        case (.text(let text), _): .string(text)
        case (.date(let seconds), _): .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.bytes(let bytes), .transformable): .transformable(bytes)
        case (.bytes(let bytes), _): .binary(bytes)
        }
    }
}
