/// How one value is ordered against another.
package enum ValueOrder: Sendable, Hashable {
    /// The left value comes first.
    case before
    /// Neither comes first.
    case same
    /// The left value comes last.
    case after

    init<Value: Comparable>(_ left: Value, _ right: Value) {
        self = left < right ? .before : left == right ? .same : .after
    }

    init<Bytes: Sequence<UInt8>>(bytes left: Bytes, _ right: Bytes) {
        if left.lexicographicallyPrecedes(right) {
            self = .before
        } else {
            self = left.elementsEqual(right) ? .same : .after
        }
    }

    /// Exact, though a double has too few digits for large integers; `nil` for NaN.
    init?(_ left: Int64, _ right: Double) {
        if right.isNaN { return nil }
        if right >= 0x1p63 {
            self = .before
        } else if right < -0x1p63 {
            self = .after
        } else {
            let whole = right.rounded(.towardZero)
            let order = ValueOrder(left, Int64(whole))
            self = order == .same ? ValueOrder(0, right - whole) : order
        }
    }

    var reversed: ValueOrder {
        switch self {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }

    /// Whether `<`, `<=`, `>` or `>=` holds.
    func satisfies(_ operator: QueryComparison.Operator) -> Bool {
        switch `operator` {
        case .less: self == .before
        case .lessOrEqual: self != .after
        case .greater: self == .after
        case .greaterOrEqual: self != .before
        default: self == .same
        }
    }
}
