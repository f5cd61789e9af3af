import FoundationEssentials

extension QueryFunction {
    /// The function's value; null if an argument is null, except for functions of collections, which leave
    /// nulls out.
    func apply(to arguments: [PredicateEvaluator.Operand], now: Date) throws(QueryError)
        -> PredicateEvaluator.Operand
    {
        switch self {
        case .now: return .value(.date(now))
        case .noIndex: return arguments[0]
        default: if isOfCollection { return try collect(arguments) }
        }
        var values: [AttributeValue] = []
        for argument in arguments {
            guard let value = argument.comparable else {
                throw .invalidOperand("'\(rawValue)' takes single values")
            }
            if value.isNull { return .value(.null) }
            values.append(value)
        }
        switch self {
        case .uppercase, .lowercase, .canonical, .length, .characterCount:
            return .value(try text(values[0]))
        case .cast: return .value(try cast(values[0], to: values[1]))
        case .year, .month, .day, .hour, .minute, .second, .weekday: return .value(try part(of: values[0]))
        default: return .value(try arithmetic(values))
        }
    }

    private func collect(_ arguments: [PredicateEvaluator.Operand]) throws(QueryError)
        -> PredicateEvaluator.Operand
    {
        let elements = arguments[0].elements
        switch self {
        case .first: return elements.first ?? .value(.null)
        case .last: return elements.last ?? .value(.null)
        case .element:
            guard case .integer(let index)? = arguments[1].comparable else {
                throw .invalidOperand("an index must be an integer")
            }
            let place = Int(index)
            return elements.indices.contains(place) ? elements[place] : .value(.null)
        case .count: return try CollectionOperator.count.apply(to: elements)
        case .sum: return try CollectionOperator.sum.apply(to: elements)
        case .min: return try CollectionOperator.min.apply(to: elements)
        case .max: return try CollectionOperator.max.apply(to: elements)
        case .average: return try CollectionOperator.average.apply(to: elements)
        default: return .value(try statistic(elements))
        }
    }

    private func statistic(_ elements: [PredicateEvaluator.Operand]) throws(QueryError) -> AttributeValue {
        let numbers = try CollectionOperator.numbers(elements).compactMap(\.doubleValue).sorted()
        guard !numbers.isEmpty else { return .null }
        switch self {
        case .median:
            let middle = numbers.count / 2
            return .double(
                numbers.count.isMultiple(of: 2)
                    ? (numbers[middle - 1] + numbers[middle]) / 2 : numbers[middle])
        case .mode:
            let counts = Dictionary(grouping: numbers) { $0 }.mapValues(\.count)
            let most = counts.values.max()
            return numbers.first { counts[$0] == most }.map { .double($0) } ?? .null
        default:
            let mean = numbers.reduce(0, +) / Double(numbers.count)
            let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            return .double((squares / Double(numbers.count)).squareRoot())
        }
    }

    private func text(_ value: AttributeValue) throws(QueryError) -> AttributeValue {
        guard let text = value.textValue else {
            throw .invalidOperand("'\(rawValue)' takes text, not \(value.kindName)")
        }
        switch self {
        case .uppercase: return .string(text.uppercased())
        case .lowercase: return .string(text.lowercased())
        case .length: return .integer(Int64(text.utf16.count))
        case .characterCount: return .integer(Int64(text.count))
        default: return .string(TextFolding.fold(text, options: [.caseInsensitive, .diacriticInsensitive]))
        }
    }

    private func part(of value: AttributeValue) throws(QueryError) -> AttributeValue {
        guard case .date(let date) = value else {
            throw .invalidOperand("'\(rawValue)' takes a date, not \(value.kindName)")
        }
        return CalendarTime(date).flatMap { $0[self] }.map { .integer($0) } ?? .null
    }

    private func cast(_ value: AttributeValue, to type: AttributeValue) throws(QueryError) -> AttributeValue {
        guard let name = type.textValue, let type = QueryCast(name: name) else {
            throw .invalidOperand("there is no type to cast to")
        }
        // As SQLite, which has no such number.
        return type.cast(value).flatMap { $0.doubleValue?.isNaN == true ? nil : $0 } ?? .null
    }
}

// MARK: - Arithmetic

extension QueryFunction {
    private func arithmetic(_ values: [AttributeValue]) throws(QueryError) -> AttributeValue {
        for value in values where !value.isNumber {
            throw .invalidOperand("'\(rawValue)' takes numbers, not \(value.kindName)")
        }
        let integers = values.compactMap { isOfBits ? $0.truncated : $0.integerValue }
        if integers.count == values.count, let result = exact(integers) { return result }
        return inexact(values.compactMap(\.doubleValue))
    }

    private var isOfBits: Bool {
        switch self {
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement: true
        default: false
        }
    }

    /// The value for integers, without the remainder of a division, as SQLite has it.
    ///
    /// It is `nil` if it overflows or is not an integer.
    private func exact(_ numbers: [Int64]) -> AttributeValue? {
        let result: (partialValue: Int64, overflow: Bool)
        let left = numbers[0]
        let right = numbers.last ?? 0
        switch self {
        case .add: result = left.addingReportingOverflow(right)
        case .subtract: result = left.subtractingReportingOverflow(right)
        case .multiply: result = left.multipliedReportingOverflow(by: right)
        case .divide, .modulus:
            guard right != 0 else { return .null }
            result =
                self == .divide
                ? left.dividedReportingOverflow(by: right)
                : left.remainderReportingOverflow(dividingBy: right)
        case .bitwiseAnd: return .integer(left & right)
        case .bitwiseOr: return .integer(left | right)
        case .bitwiseXor: return .integer(left ^ right)
        case .leftShift: return .integer(left << right)
        case .rightShift: return .integer(left >> right)
        case .onesComplement: return .integer(~left)
        case .floor, .ceiling, .truncate: return .integer(left)
        case .absolute: return left == .min ? nil : .integer(abs(left))
        default: return nil
        }
        return result.overflow ? nil : .integer(result.partialValue)
    }

    private func inexact(_ numbers: [Double]) -> AttributeValue {
        let left = numbers[0]
        let right = numbers.last ?? 0
        let result: Double? =
            switch self {
            case .add: left + right
            case .subtract: left - right
            case .multiply: left * right
            case .divide: right == 0 ? nil : left / right
            case .modulus: right == 0 ? nil : left.truncatingRemainder(dividingBy: right)
            case .raise: Transcendentals.power(left, right)
            case .squareRoot: left < 0 ? nil : left.squareRoot()
            case .logarithm: left > 0 ? Transcendentals.decimalLogarithm(left) : nil
            case .naturalLogarithm: left > 0 ? Transcendentals.naturalLogarithm(left) : nil
            case .exponential: Transcendentals.exponential(left)
            case .floor: left.rounded(.down)
            case .ceiling: left.rounded(.up)
            case .truncate: left.rounded(.towardZero)
            case .absolute: left.magnitude
            default: nil
            }
        return result.flatMap { $0.isNaN ? nil : .double($0) } ?? .null
    }
}

extension AttributeValue {
    /// The integer that a number has before its point, as SQLite cuts it off when it needs bits.
    fileprivate var truncated: Int64? {
        if let integerValue { return integerValue }
        guard let value = doubleValue, !value.isNaN else { return nil }
        return value >= 0x1p63 ? .max : value < -0x1p63 ? .min : Int64(value)
    }

    fileprivate var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }
}

// MARK: - Collections

extension CollectionOperator {
    /// What is made of the elements.
    func apply(to elements: [PredicateEvaluator.Operand]) throws(QueryError) -> PredicateEvaluator.Operand {
        switch self {
        case .count: .value(.integer(Int64(elements.count { !$0.isNull })))
        case .sum: .value(try Self.sum(elements))
        case .average: .value(try Self.average(elements))
        case .min: .value(try Self.extreme(elements, .before))
        case .max: .value(try Self.extreme(elements, .after))
        case .union: .many(elements)
        case .distinctUnion: .many(Self.distinct(elements))
        }
    }

    private static func present(_ elements: [PredicateEvaluator.Operand]) -> [AttributeValue] {
        elements.compactMap(\.comparable).filter { !$0.isNull }
    }

    static func numbers(_ elements: [PredicateEvaluator.Operand]) throws(QueryError) -> [AttributeValue] {
        let values = present(elements)
        for value in values where !value.isNumber {
            throw .invalidOperand("numbers are added up, not \(value.kindName)")
        }
        return values
    }

    /// The sum; a sum of integers is exact if it fits into 64 bits, whatever it was on the way, and else
    /// the nearest double.
    private static func sum(_ elements: [PredicateEvaluator.Operand]) throws(QueryError) -> AttributeValue {
        var whole: Int128 = 0
        var real: Double?
        for number in try numbers(elements) {
            if let integer = number.integerValue {
                whole += Int128(integer)
            } else if let value = number.doubleValue {
                real = (real ?? 0) + value
            }
        }
        guard let real else { return Int64(exactly: whole).map { .integer($0) } ?? .double(Double(whole)) }
        let total = Double(whole) + real
        return total.isNaN ? .null : .double(total)
    }

    private static func average(_ elements: [PredicateEvaluator.Operand]) throws(QueryError) -> AttributeValue
    {
        let numbers = try numbers(elements).compactMap(\.doubleValue)
        return numbers.isEmpty ? .null : .double(numbers.reduce(0, +) / Double(numbers.count))
    }

    private static func extreme(
        _ elements: [PredicateEvaluator.Operand], _ wanted: ValueOrder
    ) throws(QueryError) -> AttributeValue {
        var best: AttributeValue?
        for value in present(elements) {
            guard let current = best else {
                best = value
                continue
            }
            guard let order = value.order(with: current) else {
                throw .invalidOperand("\(value.kindName) and \(current.kindName) have no order")
            }
            if order == wanted { best = value }
        }
        return best ?? .null
    }

    /// Each value once, as `==` compares them: texts by their bytes, decimals as the nearest doubles.
    private static func distinct(_ elements: [PredicateEvaluator.Operand]) -> [PredicateEvaluator.Operand] {
        var seen: Set<AttributeValue> = []
        var texts: Set<[UInt8]> = []
        return elements.filter { element in
            guard let value = element.comparable else { return true }
            if let text = value.textValue { return texts.insert(Array(text.utf8)).inserted }
            if case .decimal = value, let number = value.doubleValue {
                return seen.insert(.double(number)).inserted
            }
            return seen.insert(value).inserted
        }
    }
}
