internal import CofferModel

/// Turns a description into SQL.
///
/// Rows come in the order of the sort descriptors, null smallest; among equals by key, in the last
/// descriptor's direction, so that an index on it serves both. Without descriptors the order is the file's,
/// but with a limit or offset it is by key, so that pages fit together.
struct QueryCompiler {
    private let schema: SQLSchema
    private let fetch: FetchDescription
    private let entity: SQLEntity
    private let scope: QueryScope
    private let place: ReachedObject
    private let predicates: PredicateCompiler
    private let hasDigits: Bool
    private let sortList: PersistedSortOrder?

    /// A compiler for one description, whose rows are read along a list of sort keys if one is given.
    ///
    /// - Throws: `StoreError.unknownEntity` if the store keeps no such entity.
    init(
        _ fetch: FetchDescription, schema: SQLSchema, hasDigits: Bool, textIndexes: [TextIndex],
        sortList: PersistedSortOrder? = nil
    ) throws(StoreError) {
        guard let description = schema.model.entity(named: fetch.entityName),
            let entity = schema.entities[description.index]
        else { throw .unknownEntity(fetch.entityName) }
        self.schema = schema
        self.fetch = fetch
        self.hasDigits = hasDigits
        self.sortList = sortList
        self.entity = entity
        (scope, place) = try explaining { () throws(QueryError) in
            try QueryScope.rows(of: entity, aliases: QueryScope.Aliases(), along: sortList?.list)
        }
        predicates = PredicateCompiler(schema: schema, fetched: place, textIndexes: textIndexes)
    }

    /// The description's SQL.
    ///
    /// - Throws: `StoreError.predicate` if the predicate, a sort descriptor or a property to fetch does not
    ///   fit the model, or asks for what SQL cannot do.
    func query() throws(StoreError) -> CompiledQuery {
        try explaining { () throws(QueryError) in
            narrow()
            if let predicate = fetch.predicate {
                // What it gives back has other constants; a query binds those that come with each
                // description.
                try predicate.check(for: schema.model.entities[entity.index], in: schema.model)
                scope.demand(try predicates.condition(predicate, ofAll: scope))
            }
            return fetch.resultType == .count ? count() : try rows()
        }
    }
}

extension QueryCompiler {
    /// Leaves out rows of other entities if the table has some.
    private func narrow() {
        let description = schema.model.entities[entity.index]
        guard entity.tableHasSeveralEntities else { return }
        guard fetch.includesSubentities, entity.familyNumbers.count > 1 else {
            return scope.demand("t0.Z_ENT = \(number: entity.number)")
        }
        if description.superentityIndex == nil { return }  // All rows are of it or of what inherits from it.
        let numbers = SQLFragment.list(entity.familyNumbers.map { "\(number: $0)" })
        scope.demand("t0.Z_ENT IN (\(numbers))")
    }

    private func count() -> CompiledQuery {
        let limit = limit
        let sql: SQLFragment =
            limit.text.isEmpty
            ? "SELECT COUNT(*) \(scope.text)" : "SELECT COUNT(*) FROM (SELECT 1 \(scope.text)\(limit))"
        return query(sql, values: [])
    }

    private func rows() throws(QueryError) -> CompiledQuery {
        if let sortList, entity.isAlongKeysOnly(fetch) {
            let isThere: SQLFragment =
                sortList.mayHoldGone
                ? " AND EXISTS (SELECT 1 FROM \(name: entity.table) t0 WHERE t0.Z_PK = k.object)" : ""
            let keys: SQLFragment =
                "\(name: SortKeyTables.keys) k WHERE k.list = \(number: Int(sortList.list))"
            return query(
                "SELECT k.object FROM \(keys)\(isThere)\(alongKeys)\(limit)", values: [], hasKey: true)
        }
        predicates.isGrouping = true
        let columns = try QueryColumns(
            fetch: fetch, schema: schema, hasDigits: hasDigits, place: place, predicates: predicates)
        let group = try group()
        let order = try order(columns)
        var selected = columns.texts
        let isDictionary = fetch.resultType == .dictionaries
        let hasVersion = fetch.resultType == .objects
        if hasVersion { selected.insert("t0.Z_OPT", at: 0) }
        if !isDictionary { selected.insert("t0.Z_PK", at: 0) }
        let hasEntity =
            !isDictionary && entity.tableHasSeveralEntities && entity.familyNumbers.count > 1
            && fetch.includesSubentities
        if hasEntity { selected.insert("t0.Z_ENT", at: 0) }
        let distinct: SQLFragment = isDictionary && fetch.returnsDistinctResults ? "DISTINCT " : ""
        let sql: SQLFragment =
            "SELECT \(distinct)\(SQLFragment.list(selected)) \(scope.text)\(group)\(order)\(limit)"
        return query(
            sql, values: columns.values, hasEntity: hasEntity, hasKey: !isDictionary, hasVersion: hasVersion)
    }

    private func query(
        _ sql: SQLFragment, values: [CompiledQuery.Value], hasEntity: Bool = false, hasKey: Bool = false,
        hasVersion: Bool = false
    ) -> CompiledQuery {
        CompiledQuery(
            sql: sql.text, parameters: sql.parameters, resultType: fetch.resultType, entity: entity.index,
            hasEntity: hasEntity, hasKey: hasKey, hasVersion: hasVersion, values: values)
    }

    private var limit: SQLFragment {
        let (limit, offset) = (QueryParameter(source: .limit), QueryParameter(source: .offset))
        switch (fetch.limit > 0, fetch.offset > 0) {
        case (false, false): return ""
        case (true, false): return " LIMIT \(limit)"
        case (false, true): return " LIMIT -1 OFFSET \(offset)"
        case (true, true): return " LIMIT \(limit) OFFSET \(offset)"
        }
    }
}

extension QueryCompiler {
    /// Whether a row of the answer is of several objects.
    private var isOfGroups: Bool { !fetch.groupBy.isEmpty || predicates.hasAggregates }

    /// ` GROUP BY … HAVING …`, to be asked for once the columns are known.
    private func group() throws(QueryError) -> SQLFragment {
        guard fetch.resultType == .dictionaries, isOfGroups || fetch.having != nil else { return "" }
        guard fetch.having == nil || !fetch.groupBy.isEmpty else {
            throw .invalidOperand("having asks for groups: name key paths to group by")
        }
        for path in fetch.propertiesToFetch where !fetch.groupBy.contains(path) { throw differing(path) }
        let check = GroupCheck(
            model: schema.model, entity: schema.model.entities[entity.index],
            groupBy: fetch.groupBy.map { $0.split(separator: ".").map(String.init) })
        for named in fetch.expressions {
            if let path = check.loosePath(in: named.expression) { throw differing(path) }
        }
        if let path = fetch.having.flatMap({ check.loosePath(in: $0) }) { throw differing(path) }
        var terms: [SQLFragment] = []
        for path in fetch.groupBy {
            let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            terms.append(try predicates.value(try predicates.follow(keys, from: place)))
        }
        if terms.isEmpty { return "" }
        let group: SQLFragment = " GROUP BY \(SQLFragment.list(terms))"
        guard let having = fetch.having else { return group }
        try having.check(for: schema.model.entities[entity.index], in: schema.model)
        return "\(group) HAVING \(try predicates.condition(having))"
    }

    private func differing(_ path: String) -> QueryError {
        .invalidKeyPath(
            path, entity: fetch.entityName,
            reason: "differs within a group: group by it as well, or fetch a function such as max: of it")
    }

    private func order(_ columns: QueryColumns) throws(QueryError) -> SQLFragment {
        if sortList != nil { return alongKeys }
        var terms: [SQLFragment] = []
        let deciding = decidingSorts
        for sort in deciding { terms += try self.terms(sort, columns) }
        if deciding.count < fetch.sortDescriptors.count { try checkSorts(columns) }
        let isPaged = fetch.limit > 0 || fetch.offset > 0
        let isDistinct = fetch.resultType == .dictionaries && fetch.returnsDistinctResults
        if isDistinct || fetch.resultType == .dictionaries && isOfGroups {
            // Equal dictionaries are one row, which has no key; so are groups.
            if isPaged { terms += (0..<columns.texts.count).map { "\(number: $0 + 1)" } }
        } else if let last = fetch.sortDescriptors.last {
            terms.append(last.isAscending ? "t0.Z_PK" : "t0.Z_PK DESC")
        } else if isPaged {
            terms.append("t0.Z_PK")
        }
        return terms.isEmpty ? "" : " ORDER BY \(SQLFragment.list(terms))"
    }

    /// The descriptors that can matter.
    ///
    /// Those of values that one before orders already are left out, and those behind a value that no two
    /// objects share: each would make every row that is sorted larger.
    private var decidingSorts: [QuerySort] {
        var deciding: [QuerySort] = []
        for sort in fetch.sortDescriptors {
            // What is equal by its bytes is so by every other rule.
            let isDecided = deciding.contains {
                $0.keyPath == sort.keyPath
                    && ($0.comparison == sort.comparison || $0.comparison == .binary
                        || $0.comparison == .localizedStandard)
            }
            if isDecided { continue }
            deciding.append(sort)
            if isUnique(sort) { break }
        }
        return deciding
    }

    /// Looks whether all descriptors fit the model, those that cannot matter too, which join nothing.
    private func checkSorts(_ columns: QueryColumns) throws(QueryError) {
        let (_, place) = try QueryScope.rows(of: entity, aliases: QueryScope.Aliases())
        let apart = PredicateCompiler(schema: schema, fetched: place, textIndexes: [])
        for sort in fetch.sortDescriptors {
            _ = try sorted(by: sort, columns: columns, predicates: apart, from: place)
        }
    }

    /// Whether no two objects are equal by a descriptor: it is of an attribute that must be there, and that a
    /// constraint keeps unique.
    private func isUnique(_ sort: QuerySort) -> Bool {
        guard fetch.resultType != .dictionaries, sort.keyPath.count == 1,
            sort.comparison == .binary || sort.comparison == .localizedStandard
        else { return false }
        var index: Int? = entity.index
        while let current = index {
            let description = schema.model.entities[current]
            let isRequired = description.attributes.contains { $0.name == sort.keyPath[0] && !$0.isOptional }
            if isRequired, description.definition.uniquenessConstraints.contains(sort.keyPath) { return true }
            index = description.superentityIndex
        }
        return false
    }

    /// The order of a list of sort keys.
    private var alongKeys: SQLFragment {
        let isAscending = fetch.sortDescriptors.first?.isAscending ?? true
        return isAscending ? " ORDER BY k.key, k.object" : " ORDER BY k.key DESC, k.object DESC"
    }

    /// The terms of one descriptor.
    private func terms(_ sort: QuerySort, _ columns: QueryColumns) throws(QueryError) -> [SQLFragment] {
        let (value, type) = try sorted(by: sort, columns: columns, predicates: predicates, from: place)
        let direction: SQLFragment = sort.isAscending ? "" : " DESC"
        let binary: SQLFragment = "\(value)\(direction)"
        guard type.map({ QueryValueKind($0) }) == .text else { return [binary] }
        switch sort.comparison {
        case .binary: return [binary]
        case .caseInsensitive:
            let folding = QueryComparison.Options.caseInsensitive.rawValue
            return ["COFFER_FOLD(\(value), \(number: Int(folding)))\(direction)"]
        case .localized, .localizedCaseInsensitive, .localizedStandard:
            let locale = QueryParameter(source: .locale)
            let key: SQLFragment =
                "COFFER_SORTKEY(\(value), \(number: Int(sort.comparison.rawValue)), \(locale))\(direction)"
            // Texts that look alike to people are ordered all the same, as in Core Data.
            return sort.comparison == .localizedStandard ? [key, binary] : [key]
        }
    }

    /// What a descriptor orders by: a value of each object, or of each group.
    private func sorted(
        by sort: QuerySort, columns: QueryColumns, predicates: PredicateCompiler, from place: ReachedObject
    ) throws(QueryError) -> (SQLFragment, AttributeType?) {
        let path = sort.keyPath.joined(separator: ".")
        if let index = fetch.expressions.firstIndex(where: { $0.name == path }), index < columns.starts.count
        {
            let named = fetch.expressions[index]
            let type = try named.valueType(for: schema.model.entities[entity.index], in: schema.model)
            return (columns.texts[columns.starts[index]], type)
        }
        if fetch.resultType == .dictionaries, isOfGroups, !fetch.groupBy.contains(path) {
            throw .invalidKeyPath(
                path, entity: fetch.entityName,
                reason:
                    "differs within a group: order by what the groups agree in, or by the name of an expression"
            )
        }
        guard case .scalar(let value, let type) = try predicates.follow(sort.keyPath, from: place) else {
            throw .invalidKeyPath(
                path, entity: fetch.entityName, reason: "leads to objects, and only values have an order")
        }
        return (value, type)
    }
}

/// Runs `body`, whose errors about predicates become errors of a store.
func explaining<Result>(_ body: () throws(QueryError) -> Result) throws(StoreError) -> Result {
    do throws(QueryError) {
        return try body()
    } catch {
        switch error {
        case .notInStore(let part, let reason): throw .notInStore(part, reason: reason)
        case .unknownFunction(let name, _):
            throw .notInStore(
                name,
                reason:
                    "it is not a function of stores; functions that an application registers work in memory only"
            )
        default: throw .predicate(error.description)
        }
    }
}
