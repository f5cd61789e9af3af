import FoundationEssentials

extension AttributeValue {
    /// The value as SQLite's files give it back: NaN is null, and zero has no sign.
    package var asKept: AttributeValue { isNaN ? .null : withoutSignOfZero }

    /// The value among its equals that has one form in bytes: no negative zero.
    package var withoutSignOfZero: AttributeValue {
        switch self {
        case .double(let number): .double(number + 0.0)
        case .float(let number): .float(number + 0.0)
        case .date(let date):
            .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate + 0.0))
        default: self
        }
    }

    /// What a unique index of a store compares: of a decimal the nearest double, since columns keep that.
    package var asKey: AttributeValue {
        guard case .decimal = self, let number = doubleValue else { return self }
        return AttributeValue.double(number).asKept
    }
}
