internal import CofferModel

/// What is bound to one `?` of a compiled query, found again in each description of its shape.
struct QueryParameter: Sendable {
    /// Where the value comes from.
    enum Source: Sendable {
        /// The constant with this number.
        case constant(Int)
        /// An element of the list with this number; the last one again if the list is shorter.
        case element(list: Int, index: Int)
        /// The whole list with this number, as one JSON text.
        case json(list: Int)
        /// The time at which the query runs.
        case now
        /// The description's limit.
        case limit
        /// The description's offset.
        case offset
        /// The description's locale.
        case locale
    }

    /// What is made of the value first.
    enum Form: Sendable {
        /// As it is stored.
        case stored
        /// As a float attribute of the same number is stored.
        case float
        /// Text folded so that equal ones become alike.
        case folded(QueryComparison.Options)
        /// What all texts that begin with the text stay below.
        case prefixEnd
        /// What a full-text index is asked for so that it finds the text in a column; nothing if the index
        /// cannot find it.
        case phrase(column: String)
        /// Whether it cannot.
        case isNoPhrase
        /// A number as an attribute of the type is compared with it.
        case number(AttributeType)
        /// Text as the UUID that it spells.
        case uuid
        /// Text as the date that it says.
        case date
        /// As another type.
        case cast(QueryCast)
    }

    var source: Source
    var form: Form = .stored
}

/// A fixed value of a predicate, or a list of them.
enum QueryConstant: Sendable {
    case value(AttributeValue)
    /// Without the nulls.
    case list([AttributeValue])
}
