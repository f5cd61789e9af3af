internal import CofferModel
internal import FoundationEssentials

/// Bounds how much one file's graph may take of memory; readers and writers of a format share it, so that
/// whatever is written is read back.
struct AtomicStoreBudget {
    private let file: String
    private var objects = 0
    private var values = 0

    init(file: String) { self.file = file }

    /// Counts an object with what it has, all of which a reader has to take.
    mutating func take(_ object: AtomicStoreObject) throws(FormatError) {
        try takeObject()
        for (name, value) in object.values {
            let reason: String? =
                switch value {
                case .date(let seconds) where !seconds.isFinite: "a date without end has no form in a file"
                case .decimal(let digits) where Decimal(exactText: digits) == nil:
                    "the decimal \(digits) has no form in a file"
                default: nil
                }
            if let reason {
                throw .unrepresentable(
                    entity: object.entity, object: object.id, property: name, reason: reason)
            }
        }
        try take(values: object.values.count)
        for ids in object.references.values { try take(values: 1 + ids.count) }
    }

    /// Counts an object by itself.
    mutating func takeObject() throws(FormatError) {
        objects += 1
        if objects > Limits.atomicObjects {
            throw refused("it has more than \(Limits.atomicObjects) objects")
        }
    }

    /// Counts values, or the objects that relationships name.
    mutating func take(values count: Int) throws(FormatError) {
        values += count
        if values > Limits.atomicValues { throw refused("it has more than \(Limits.atomicValues) values") }
    }

    /// Why the file is not taken.
    func refused(_ reason: String) -> FormatError {
        .refused(at: TextLocation(file: file, line: 1, column: 1), reason: reason)
    }
}
