import CofferCoordination
import CofferModel
import CofferStores
import CofferWire

// What a save is judged by is brought into the database first: the objects that it names, those that its
// rules reach, and those that may have its unique values.

extension IncrementalSource {
    /// Brings what a save is judged by into the database; returns the save with keys for its new objects.
    func prepare(
        _ request: SaveRequestMessage, in store: PersistentStore
    ) throws(StoreError) -> SaveRequestMessage {
        var request = request
        for place in request.inserts.indices where request.inserts[place].firstKey == 0 {
            let group = request.inserts[place]
            if group.temporaryIDs.isEmpty { continue }
            request.inserts[place].firstKey = try reserve(
                group.temporaryIDs.count, ofEntityAt: group.entity, in: store)
        }
        try load(named(by: request), into: store)
        try loadEnds(of: request, into: store)
        try loadReached(byDeleting: request.deletes, into: store)
        try loadLists(of: request, into: store)
        try loadRivals(of: request, into: store)
        try loadFitting(request.batch, into: store)
        return request
    }

    /// Keys for new objects, which the database knows as given out.
    func reserve(
        _ count: Int, ofEntityAt index: Int, in store: PersistentStore
    ) throws(StoreError) -> Int64 {
        let name = model.entities[index].name
        let first = try asking { () throws(OwnStoreError) in try own.reserveKeys(count, entity: name) }
        try store.write { writer throws(StoreError) in
            try writer.reserve(first, count: count, ofEntityAt: index)
        }
        return first
    }

    /// The stored objects that a save names.
    private func named(by request: SaveRequestMessage) -> [SourceKey] {
        var named: [SourceKey] = []
        for group in request.updates {
            named += group.primaryKeys.map { SourceKey(entity: group.entity, key: $0) }
        }
        for group in request.deletes {
            named += group.primaryKeys.map { SourceKey(entity: group.entity, key: $0) }
        }
        for group in request.inserts { named += group.columns.flatMap { ends(of: $0) } }
        for group in request.updates { named += group.columns.flatMap { ends(of: $0) } }
        for change in request.setChanges {
            named += ends(
                ofEntityAt: change.entity, property: change.property, owners: change.owners,
                others: change.targets)
        }
        for change in request.orderChanges {
            named += ends(
                ofEntityAt: change.entity, property: change.property, owners: change.owners,
                others: change.members)
        }
        return named
    }

    private func ends(of column: Column) -> [SourceKey] {
        guard case .references(let keys, let entities) = column.values else { return [] }
        return zip(keys, entities).filter { $0.0 > 0 }.map { SourceKey(entity: Int($0.1), key: $0.0) }
    }

    private func ends(
        ofEntityAt entity: Int, property: Int, owners: [Int64], others: [Int64]
    ) -> [SourceKey] {
        guard model.entities.indices.contains(entity),
            model.entities[entity].properties.indices.contains(property),
            let relationship = model.entities[entity].properties[property].relationship
        else { return [] }
        return owners.filter { $0 > 0 }.map { SourceKey(entity: entity, key: $0) }
            + others.filter { $0 > 0 }.map { SourceKey(entity: relationship.destinationIndex, key: $0) }
    }

    /// The objects that those of a save refer to now, which may have to let go of them.
    private func loadEnds(of request: SaveRequestMessage, into store: PersistentStore) throws(StoreError) {
        let ids = named(by: request)
        if ids.isEmpty { return }
        let ends = try store.write { writer throws(StoreError) in
            try ids.map { id throws(StoreError) in try writer.ends(of: id) }.flatMap(\.values)
        }
        try load(ends, into: store)
    }

    /// The objects that delete rules reach.
    private func loadReached(
        byDeleting groups: [DeleteGroup], into store: PersistentStore
    ) throws(StoreError) {
        var seen: Set<Row> = []
        var waiting = groups.flatMap { group in
            group.primaryKeys.map { SourceKey(entity: group.entity, key: $0) }
        }
        while let object = waiting.popLast() {
            guard seen.insert(row(object)).inserted, has(object) else { continue }
            let ends = try store.write { writer throws(StoreError) in try writer.ends(of: object) }
            try load(ends.values, into: store)
            for relationship in model.entities[object.entity].relationships where !relationship.isTransient {
                var reached = ends[relationship.index].map { [$0] } ?? []
                if relationship.isToMany {
                    try loadMembers(of: [object], relationship.index, into: store)
                    reached = try store.write { writer throws(StoreError) in
                        try writer.members(of: object, relationship.index)
                    }
                } else if let end = reached.first {
                    try loadList(of: end, relationship, into: store)
                }
                if relationship.deleteRule == .cascade { waiting += reached }
            }
        }
    }

    /// The lists that a save changes or counts.
    private func loadLists(of request: SaveRequestMessage, into store: PersistentStore) throws(StoreError) {
        let changes =
            request.setChanges.map { ($0.entity, $0.property, $0.owners, $0.targets) }
            + request.orderChanges.map { ($0.entity, $0.property, $0.owners, $0.members) }
        for (entity, property, owners, others) in changes {
            guard let relationship = model.entities[entity].properties[property].relationship else {
                continue
            }
            let owners = Set(owners.filter { $0 > 0 }).map { SourceKey(entity: entity, key: $0) }
            try loadMembers(of: owners.filter { has($0) }, property, into: store)
            for other in Set(others) where other > 0 {
                try loadList(
                    of: SourceKey(entity: relationship.destinationIndex, key: other), relationship,
                    into: store)
            }
        }
        for group in request.updates {
            for column in group.columns {
                guard let relationship = model.entities[group.entity].properties[column.property].relationship
                else { continue }
                let objects = group.primaryKeys.map { SourceKey(entity: group.entity, key: $0) }
                let present = try store.write { writer throws(StoreError) in
                    try objects.map { object throws(StoreError) in try writer.ends(of: object) }
                }
                for end in Set(present.compactMap { $0[relationship.index] } + ends(of: column)) {
                    try loadList(of: end, relationship, into: store)
                }
            }
        }
        for group in request.inserts {
            for column in group.columns {
                guard let relationship = model.entities[group.entity].properties[column.property].relationship
                else { continue }
                for end in Set(ends(of: column)) { try loadList(of: end, relationship, into: store) }
            }
        }
    }

    /// Loads the inverse's members of an object at the end of a relationship, if they are a list of their own
    /// or are counted.
    private func loadList(
        of end: SourceKey, _ relationship: RelationshipDescription, into store: PersistentStore
    ) throws(StoreError) {
        guard let index = relationship.inverseIndex, has(end),
            let inverse = model.destination(of: relationship).properties[index].relationship,
            inverse.isToMany
        else { return }
        let isCounted = !inverse.isOptional || inverse.minimumCount > 1 || inverse.maximumCount > 0
        guard inverse.isOrdered || relationship.isToMany || isCounted else { return }
        try loadMembers(of: [end], index, into: store)
    }

    /// The objects that may have the unique values of a save.
    private func loadRivals(of request: SaveRequestMessage, into store: PersistentStore) throws(StoreError) {
        var wanted: [Int: [QueryPredicate]] = [:]
        func add(_ index: Int, _ columns: [Column], rows: Int) {
            var current: EntityDescription? = model.entities[index]
            while let entity = current {
                for constraint in entity.definition.uniquenessConstraints {
                    let parts = constraint.map { name in
                        columns.first { model.entities[index].properties[$0.property].name == name }
                    }
                    for row in 0..<rows {
                        // What the save does not say of a constraint may be anything.
                        let equal = zip(constraint, parts).compactMap { name, column in
                            column.flatMap { equality(of: name, in: $0, row: row, model.entities[index]) }
                        }
                        if !equal.isEmpty { wanted[entity.index, default: []].append(.and(equal)) }
                    }
                }
                current = entity.superentityIndex.map { model.entities[$0] }
            }
        }
        for group in request.inserts { add(group.entity, group.columns, rows: group.temporaryIDs.count) }
        for group in request.updates { add(group.entity, group.columns, rows: group.primaryKeys.count) }
        for (entity, predicates) in wanted.sorted(by: { $0.key < $1.key }) {
            for start in stride(from: 0, to: predicates.count, by: 100) {
                let some = Array(predicates[start..<min(start + 100, predicates.count)])
                try absorb(
                    fitting: IncrementalFetch(entity: model.entities[entity].name, predicate: .or(some)),
                    in: store)
            }
        }
    }

    private func equality(
        of name: String, in column: Column, row: Int, _ entity: EntityDescription
    ) -> QueryPredicate? {
        guard let type = entity.properties[column.property].attribute?.type else { return nil }
        let value = column.value(at: row, type: type)
        return value.isNull
            ? nil : .comparison(QueryComparison(.keyPath([name]), .equal, .constant(value)))
    }

    /// The objects that batch operations are of.
    private func loadFitting(_ batch: BatchMessage?, into store: PersistentStore) throws(StoreError) {
        guard let batch else { return }
        for name in batch.updates.map(\.entity) + batch.deletes.map(\.entity) {
            guard let entity = model.entity(named: name) else { continue }
            // Whatever their predicates and rules may ask.
            let names = Set(model.entities.flatMap(\.relationships).map(\.name))
            try loadAll(reachedFrom: entity, by: names, into: store)
        }
    }
}
