package import CofferEmbedded
package import CofferModel
package import FoundationEssentials
import Synchronization

/// Objects that are kept elsewhere, as by a web service; here it is the memory of the process.
package final class ObjectsInMemory: IncrementalStore {
    private struct State {
        var objects: [Int64: StoredObject] = [:]
        var lastKey: Int64 = 0
        var metadata: [String: MetadataValue] = [:]
    }

    package let uuid = UUID()
    private let model: ManagedObjectModel
    private let state = Mutex(State())

    /// Keeps objects of a model.
    package init(model: ManagedObjectModel) { self.model = model }

    package func metadata() -> [String: MetadataValue] { state.withLock { $0.metadata } }

    package func fetch(_ request: IncrementalFetch) -> IncrementalAnswer {
        let family = model.entity(named: request.entity).map { entity in
            Set(entity.familyIndices.map { model.entities[$0].name })
        }
        return IncrementalAnswer(
            state.withLock { $0.objects.values.filter { family?.contains($0.id.entity) ?? false } })
    }

    package func objects(_ ids: [StoredObjectID]) -> [StoredObject] {
        state.withLock { state in ids.compactMap { state.objects[$0.key] } }
    }

    package func members(of owners: [StoredObjectID], in relationship: String) -> [[StoredObjectID]] {
        state.withLock { state in
            owners.map { owner in
                if let list = state.objects[owner.key]?.relationships[relationship] { return list }
                guard let inverse = inverse(of: relationship, of: owner) else { return [] }
                return state.objects.values.filter { object in
                    object.relationships[inverse]?.contains { $0.key == owner.key } ?? false
                }.map(\.id)
            }
        }
    }

    private func inverse(of relationship: String, of owner: StoredObjectID) -> String? {
        guard let known = model.entity(named: owner.entity)?.property(named: relationship)?.relationship,
            let index = known.inverseIndex
        else { return nil }
        return model.destination(of: known).properties[index].name
    }

    package func reserveKeys(_ count: Int, entity: String) -> Int64 {
        state.withLock { state in
            state.lastKey += Int64(count)
            return state.lastKey - Int64(count) + 1
        }
    }

    package func save(_ changes: IncrementalChanges) throws(OwnStoreError) -> [StoredObjectID: Int64] {
        try state.withLock { state throws(OwnStoreError) in
            let read =
                changes.updated.map { ($0.object.id, $0.object.version) }
                + changes.deleted.map { ($0.id, $0.version) }
            let stale = read.filter { state.objects[$0.0.key]?.version != $0.1 }.map(\.0)
            if !stale.isEmpty { throw .conflicts(stale) }
            var versions: [StoredObjectID: Int64] = [:]
            for object in changes.inserted + changes.updated.map(\.object) {
                // A list that is not told has not changed.
                var kept = object
                kept.version += 1
                kept.relationships.merge(lists(state.objects[object.id.key])) { told, _ in told }
                state.objects[object.id.key] = kept
                versions[object.id] = kept.version
            }
            for delete in changes.deleted { state.objects[delete.id.key] = nil }
            state.metadata = changes.metadata
            return versions
        }
    }

    private func lists(_ object: StoredObject?) -> [String: [StoredObjectID]] {
        guard let object, let entity = model.entity(named: object.id.entity) else { return [:] }
        return object.relationships.filter { name, _ in
            entity.property(named: name)?.relationship?.isToMany ?? false
        }
    }
}

extension ObjectsInMemory {
    /// Puts an object there, as another user of the store does; says its id.
    @discardableResult
    package func put(
        _ entity: String, _ values: [String: AttributeValue],
        _ relationships: [String: [StoredObjectID]] = [:]
    ) -> StoredObjectID {
        let id = StoredObjectID(entity, reserveKeys(1, entity: entity))
        state.withLock { $0.objects[id.key] = StoredObject(id, values: values, relationships: relationships) }
        return id
    }

    /// Changes an object, as another user of the store does; one that becomes `nil` goes.
    package func change(_ id: StoredObjectID, _ body: (inout StoredObject?) -> Void) {
        state.withLock { state in
            body(&state.objects[id.key])
            state.objects[id.key]?.version += 1
        }
    }

    /// An object as it is there.
    package subscript(id: StoredObjectID) -> StoredObject? { state.withLock { $0.objects[id.key] } }

    /// How many there are.
    package var count: Int { state.withLock { $0.objects.count } }
}
