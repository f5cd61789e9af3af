internal import CofferLinux
internal import CofferModel

/// An order of one column's texts by the rules of a locale.
struct SortOrder: Hashable, Sendable {
    /// The table.
    let table: String
    /// Its column.
    let column: String
    let comparison: QuerySort.Comparison
    let locale: String

    /// The order that a fetch asks for, if keys that are kept can serve it; `nil` if they cannot.
    ///
    /// The order is that of an attribute of the entity itself that a fetch index of the model begins with,
    /// and the fetch asks for the first objects only, or for nothing but ids. To read all rows along an order
    /// is slower than to read them as they lie and sort them. A fetch with a predicate does not qualify
    /// either, nor one for some of the entities that share a table: it may walk past most of the order, and
    /// that is not known before.
    init?(_ fetch: FetchDescription, in schema: SQLSchema) {
        guard fetch.sortDescriptors.count == 1, let sort = fetch.sortDescriptors.first,
            sort.keyPath.count == 1,
            sort.comparison.isLocalized, fetch.predicate == nil,
            fetch.resultType == .objects || fetch.resultType == .objectIDs,
            let entity = schema.model.entity(named: fetch.entityName),
            let property = entity.propertyIndex(named: sort.keyPath[0]),
            let stored = schema.entities[entity.index],
            case .attribute(let column, _) = stored.columns[property],
            stored.isAlongKeysOnly(fetch) || fetch.isWindow(upTo: Limits.sortedWindow),
            !stored.tableHasSeveralEntities || entity.superentityIndex == nil && fetch.includesSubentities,
            schema.sortedColumns[stored.table]?.contains(column) ?? false
        else { return nil }
        table = stored.table
        self.column = column
        comparison = sort.comparison
        // Names that mean the same share a list.
        locale = Collation.language(fetch.locale)
    }

    /// An order as a file names it; `nil` if no such comparison is known.
    init?(table: String, column: String, comparison: Int64, locale: String) {
        guard let known = UInt8(exactly: comparison).flatMap({ QuerySort.Comparison(rawValue: $0) }) else {
            return nil
        }
        self.table = table
        self.column = column
        self.comparison = known
        self.locale = locale
    }
}

extension SQLEntity {
    /// Whether the keys of a list say all that a fetch asks for.
    func isAlongKeysOnly(_ fetch: FetchDescription) -> Bool {
        fetch.resultType == .objectIDs && !tableHasSeveralEntities
    }
}

extension FetchDescription {
    /// Whether it asks for objects among the first `count` only; its numbers may be as large as clients like.
    fileprivate func isWindow(upTo count: Int) -> Bool {
        limit > 0 && limit <= count && offset >= 0 && offset <= count - limit
    }
}

extension QuerySort.Comparison {
    /// Whether it asks for the rules of a locale.
    var isLocalized: Bool {
        switch self {
        case .binary, .caseInsensitive: false
        case .localized, .localizedCaseInsensitive, .localizedStandard: true
        }
    }
}

extension SQLSchema {
    /// The columns of texts that a fetch index of the model begins with, or that have one of their own, by
    /// table and in order.
    ///
    /// - Complexity: O(properties of the model).
    var sortedColumns: [String: [String]] {
        var found: [String: Set<String>] = [:]
        for stored in entities.compactMap(\.self) {
            let entity = model.entities[stored.index]
            let firsts = entity.definition.indexes.filter(\.isPlain).compactMap(\.elements.first?.property)
            for attribute in entity.attributes where attribute.type == .string {
                guard attribute.isIndexed || firsts.contains(attribute.name),
                    case .attribute(let column, _) = stored.columns[attribute.index]
                else { continue }
                found[stored.table, default: []].insert(column)
            }
        }
        return found.mapValues { $0.sorted() }
    }
}
