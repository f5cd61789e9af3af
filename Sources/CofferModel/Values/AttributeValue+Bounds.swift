import FoundationEssentials

extension AttributeValue {
    /// How a number or date is ordered against a bound of its attribute, in the value's own type; `nil` for
    /// what has no order with one.
    ///
    /// A float is compared with the bound as a float, and a decimal with the digits that the bound is written
    /// with: 0.1 is not above a maximum of 0.1, whatever the nearest doubles are.
    package func order(withBound bound: Double) -> ValueOrder? {
        switch self {
        case .integer(let number): ValueOrder(number, bound)
        case .double(let number): number.isNaN ? nil : ValueOrder(number, bound)
        case .float(let number): number.isNaN ? nil : ValueOrder(number, Float(bound))
        case .date(let date):
            date.timeIntervalSinceReferenceDate.isNaN
                ? nil : ValueOrder(date.timeIntervalSinceReferenceDate, bound)
        case .decimal(let number):
            number.isNaN ? nil : Self.order(number, bound)
        case .null, .boolean, .string, .binary, .uuid, .uri, .transformable, .object: nil
        }
    }

    private static func order(_ number: Decimal, _ bound: Double) -> ValueOrder? {
        // A bound that no decimal can be is far beyond all decimals, so doubles tell them apart.
        if let bound = Decimal(exactText: "\(bound)") { return ValueOrder(number, bound) }
        return Double("\(number)").map { ValueOrder($0, bound) }
    }
}
