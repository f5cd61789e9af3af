import CofferDBus
import CofferModel
import CofferUbiquity
import FoundationEssentials

extension ConflictJournal.Entry {
    /// A conflict on the bus: a structure for each property.
    var rows: [DBusValue] {
        let values: [ConflictJournal.Value?] = self.values.isEmpty ? [nil] : self.values
        return values.map { value in
            .structure([
                .uint64(noted.number), .string(noted.conflict.kind.rawValue),
                .uint64(UInt64(clamping: primaryKey ?? 0)), .string(entity),
                .string(value?.property ?? property), .variant(DBusValue(value?.lost)),
                .variant(DBusValue(value?.kept)), .boolean(isOwn), .boolean(noted.isUndone),
            ])
        }
    }
}

extension ManagedObjectID.Key {
    /// The number of a saved object.
    fileprivate var number: Int64 { if case .permanent(let key) = self { key } else { 0 } }
}

extension DBusValue {
    /// A value of an object; an empty text if there is none.
    fileprivate init(_ value: AttributeValue?) {
        self =
            switch value ?? .null {
            case .null: .string("")
            case .integer(let number): .int64(number)
            case .boolean(let truth): .boolean(truth)
            case .double(let number): .double(number)
            case .float(let number): .double(Double(number))
            case .decimal(let number): .string("\(number)")
            case .string(let text), .uri(let text): .string(text.filter { $0 != "\0" })
            case .date(let date): .string(DateText.text(of: date))
            case .binary(let bytes), .transformable(let bytes): .bytes(bytes)
            case .uuid(let uuid): .string(uuid.uuidString)
            case .object(let id): .string("\(id.entity.name)/p\(id.key.number)")
            }
    }
}
