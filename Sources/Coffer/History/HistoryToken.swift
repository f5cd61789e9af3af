public import CofferModel
public import FoundationEssentials

/// A place in the histories of a context's stores: everything up to it is known.
///
/// It can be kept, for example in a file, and used by another process. In predicates it stands for the number
/// of its last transaction.
public struct HistoryToken: Sendable, Hashable, Codable, QueryArgument {
    /// The number of the last transaction that is known, for each store by its UUID.
    public private(set) var numbers: [UUID: UInt64]

    /// A token for the histories of stores, from the number of the last known transaction of each.
    public init(numbers: [UUID: UInt64] = [:]) {
        self.numbers = numbers
    }

    /// The highest of its numbers, as predicates compare it with `token`.
    public var queryExpression: QueryExpression {
        .constant(.integer(Int64(clamping: numbers.values.max() ?? 0)))
    }

    /// The token with a later place in one store.
    public func advanced(to number: UInt64, ofStore uuid: UUID) -> HistoryToken {
        var copy = self
        copy.numbers[uuid] = max(number, numbers[uuid] ?? 0)
        return copy
    }
}
