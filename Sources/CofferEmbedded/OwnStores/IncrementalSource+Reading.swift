import CofferCoordination
import CofferModel
import CofferStores
import CofferWire

// What a request reads is brought into the database first; then it is answered there as in any other store.

extension IncrementalSource {
    /// Brings what a fetch reads into the database; returns the request that the database is asked.
    func prepare(
        _ request: FetchRequestMessage, in store: PersistentStore
    ) throws(StoreError) -> FetchRequestMessage {
        guard request.generation == 0, let entity = model.entity(named: request.fetch.entityName) else {
            return request
        }
        let fetch = request.fetch
        let names = Self.names(in: fetch)
        guard names.isPlain, !leads(names.keys, from: entity) else {
            try loadAll(reachedFrom: entity, by: names.keys, into: store)
            return request
        }
        var asked = IncrementalFetch(entity: fetch.entityName, predicate: fetch.predicate)
        if fetch.resultType == .objects || fetch.resultType == .objectIDs, fetch.includesSubentities {
            (asked.sortDescriptors, asked.limit) = (fetch.sortDescriptors, fetch.limit)
            asked.offset = fetch.offset
        }
        guard let exact = try absorb(fitting: asked, in: store) else { return request }
        var request = request
        request.fetch.predicate = .comparison(
            QueryComparison(
                .evaluatedObject, .in,
                .collection(
                    exact.map { key in
                        .constant(
                            .object(
                                ManagedObjectID(
                                    entity: model.entities[key.entity], storeUUID: uuid,
                                    key: .permanent(key.key))))
                    })))
        (request.fetch.limit, request.fetch.offset) = (0, 0)
        return request
    }

    /// Brings rows into the database; again if the request limits their age.
    func prepare(_ request: RowsRequestMessage, in store: PersistentStore) throws(StoreError) {
        if request.generation != 0 { return }
        let ids = request.primaryKeys.map { SourceKey(entity: request.entity, key: $0) }
        if request.maximumAge == nil { try load(ids, into: store) } else { try refresh(ids, in: store) }
    }

    /// Brings the members of a relationship into the database.
    func prepare(_ request: RelationshipRequestMessage, in store: PersistentStore) throws(StoreError) {
        if request.generation != 0 { return }
        let owners = request.primaryKeys.map { SourceKey(entity: request.entity, key: $0) }
        try load(owners, into: store)
        try loadMembers(of: owners.filter { has($0) }, request.property, into: store)
    }

    /// Loads into the database all objects of the entities that keys lead to, with the members of the
    /// relationships on the way.
    func loadAll(
        reachedFrom entity: EntityDescription, by names: Set<String>, into store: PersistentStore
    ) throws(StoreError) {
        var trees: Set<Int> = []
        var waiting = [entity.rootIndex]
        var lists: Set<Int> = []
        while let root = waiting.popLast() {
            guard trees.insert(root).inserted else { continue }
            try loadAll(of: model.entities[root], into: store)
            for member in model.entities[root].familyIndices {
                for relationship in model.entities[member].relationships
                where names.contains(relationship.name) && !relationship.isTransient {
                    waiting.append(model.destination(of: relationship).rootIndex)
                    if relationship.isToMany, !model.entities[member].isAbstract { lists.insert(member) }
                }
            }
        }
        for member in lists.sorted() {
            let owners = try store.write { writer throws(StoreError) in try writer.keys(ofEntityAt: member) }
                .map { SourceKey(entity: member, key: $0) }
            for relationship in model.entities[member].relationships
            where names.contains(relationship.name) && relationship.isToMany && !relationship.isTransient {
                try loadMembers(of: owners, relationship.index, into: store)
            }
        }
    }

    /// Whether a key of the entity leads to other objects than the row itself tells.
    private func leads(_ names: Set<String>, from entity: EntityDescription) -> Bool {
        names.contains { entity.property(named: $0)?.relationship?.isToMany ?? false }
    }

    /// The names of all keys in a fetch, and whether each stands alone.
    private static func names(in fetch: FetchDescription) -> (keys: Set<String>, isPlain: Bool) {
        var keys: Set<String> = []
        var isPlain = fetch.groupBy.isEmpty && fetch.expressions.isEmpty && fetch.having == nil
        func add(_ path: [String]) {
            keys.formUnion(path)
            if path.count > 1 { isPlain = false }
        }
        func add(_ leaf: QueryExpression) -> Bool {
            switch leaf {
            case .keyPath(let path): add(path)
            case .variable(_, let path):
                add(path)
                isPlain = false
            default: break
            }
            return false
        }
        _ = fetch.predicate?.contains(leafWhere: add)
        _ = fetch.having?.contains(leafWhere: add)
        for sort in fetch.sortDescriptors { add(sort.keyPath) }
        for path in fetch.propertiesToFetch + fetch.groupBy {
            add(path.split(separator: ".").map { String($0) })
        }
        for expression in fetch.expressions { _ = expression.expression.contains(leafWhere: add) }
        return (keys, isPlain)
    }
}
