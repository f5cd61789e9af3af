internal import CofferModel

/// A description compiled: SQL without values, what to bind, and what the columns of a row are.
struct CompiledQuery: Sendable {
    /// What one column of a row holds, the ones before `values` at fixed places.
    struct Value: Sendable {
        /// How the column's values are packed.
        enum Kind: Sendable {
            case attribute(AttributeType, isExternal: Bool)
            /// An integer that SQL computes, which becomes a real number if 64 bits do not hold it.
            case computedInteger
            /// A decimal's number, and in the next column its exact digits, null if the number says all.
            case decimalWithDigits
            /// A key and, if `hasEntity`, in the next column the number of the object's entity, which is one
            /// of `entities`; else the entity is the first of them.
            case reference(entities: Range<Int>, hasEntity: Bool)
        }

        /// What it is called in the batch.
        var property: Int
        var kind: Kind
    }

    /// The text.
    let sql: String
    /// What is bound, in order.
    let parameters: [QueryParameter]
    /// What the fetch gives.
    let resultType: FetchDescription.ResultType
    /// The entity asked for.
    let entity: Int
    /// Whether a row tells its entity's number, key and version before the values, in this order.
    let hasEntity: Bool
    let hasKey: Bool
    let hasVersion: Bool
    /// The columns behind them.
    let values: [Value]
}
