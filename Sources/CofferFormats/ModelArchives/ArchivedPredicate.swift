/// The numbers of `NSPredicateOperator`'s types, and their classes as far as archives have shown them.
enum ArchivedOperator {
    static let less: Int64 = 0
    static let lessOrEqual: Int64 = 1
    static let greater: Int64 = 2
    static let greaterOrEqual: Int64 = 3
    static let equal: Int64 = 4
    static let notEqual: Int64 = 5
    static let matches: Int64 = 6
    static let like: Int64 = 7
    static let beginsWith: Int64 = 8
    static let endsWith: Int64 = 9
    static let `in`: Int64 = 10
    static let contains: Int64 = 99
    static let between: Int64 = 100
}

/// The numbers of `NSCompoundPredicate`'s types.
enum ArchivedCompound {
    static let not: Int64 = 0
    static let and: Int64 = 1
    static let or: Int64 = 2
}

/// Predicates inside predicates of an archive; models use two or three, and a few references could make a
/// circle.
let archivedPredicateDepth = 32
