/// A function that predicates know.
///
/// The raw value is Core Data's name, with a colon for each argument; formats may leave the colons out.
/// Functions that call code of an application, or whose value is random, are not among them.
package enum QueryFunction: String, Sendable, Hashable, CaseIterable {
    // Of a collection.
    case sum = "sum:"
    case count = "count:"
    case min = "min:"
    case max = "max:"
    case average = "average:"
    case median = "median:"
    case mode = "mode:"
    case standardDeviation = "stddev:"
    case first = "first:"
    case last = "last:"
    case element = "objectFrom:withIndex:"
    // Of two numbers.
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case raise = "raise:toPower:"
    case bitwiseAnd = "bitwiseAnd:with:"
    case bitwiseOr = "bitwiseOr:with:"
    case bitwiseXor = "bitwiseXor:with:"
    case leftShift = "leftshift:by:"
    case rightShift = "rightshift:by:"
    // Of one number.
    case squareRoot = "sqrt:"
    case logarithm = "log:"
    case naturalLogarithm = "ln:"
    case exponential = "exp:"
    case floor = "floor:"
    case ceiling = "ceiling:"
    case absolute = "abs:"
    case truncate = "trunc:"
    case onesComplement = "onesComplement:"
    // Of text.
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
    case canonical = "canonical:"
    /// How many UTF-16 units it has.
    case length = "length:"
    /// How many characters it has, as Swift counts them; Core Data has no such function.
    case characterCount = "characters:"
    // Of a date, in UTC; a week begins with Sunday, which is 1.
    case year = "year:"
    case month = "month:"
    case day = "day:"
    case hour = "hour:"
    case minute = "minute:"
    case second = "second:"
    case weekday = "weekday:"
    // Of anything.
    case cast = "castObject:toType:"
    case noIndex = "noindex:"
    case valueForKeyPath = "valueFrom:forKeyPath:"
    case now = "now"
}

extension QueryFunction {
    /// Whether it takes a collection and makes one value of it.
    package var isOfCollection: Bool {
        switch self {
        case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation, .first, .last, .element:
            true
        default: false
        }
    }

    /// How many arguments it takes.
    package var argumentCount: Int { rawValue.utf8.count { $0 == UInt8(ascii: ":") } }

    /// The function with a name, written with or without colons, in any case: `now`, `sum`, `sum:`,
    /// `modulus:by:`.
    package init?(name: String) {
        guard let function = Self.byName[name.lowercased()] else { return nil }
        self = function
    }

    private static let byName: [String: QueryFunction] = {
        var table: [String: QueryFunction] = [:]
        for function in allCases {
            let name = function.rawValue.lowercased()
            table[name] = function
            if function.argumentCount <= 1 { table[name.replacing(":", with: "")] = function }
        }
        table["modulus"] = .modulus
        table["now:"] = nil
        return table
    }()

    /// The sign it is written with between its arguments; `nil` if it is written as a function.
    var sign: String? {
        switch self {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .divide: "/"
        case .raise: "**"
        default: nil
        }
    }
}
