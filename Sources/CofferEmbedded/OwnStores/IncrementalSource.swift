import Coffer
import CofferFormats
import CofferModel
import CofferStores
import FoundationEssentials
import Synchronization

/// An incremental store as the engine knows it: commits go to it, and what it gives comes into the engine's
/// database as it is asked for.
///
/// Shared.
final class IncrementalSource: StoreSource {
    /// An object, by whichever entity it is named.
    struct Row: Hashable {
        let root: Int
        let key: Int64
    }

    private struct State {
        /// The store's versions of the objects that the database has.
        var versions: [Row: Int64] = [:]
        /// What the commit that is under way makes of them; `nil` for an object that goes.
        var pending: [Row: Int64?] = [:]
        /// Objects of which the database had other versions than the store.
        var conflicts: [SourceKey] = []
    }

    let typeName: String
    let path: String
    let uuid: UUID
    let metadata: [String: MetadataValue]
    let own: any IncrementalStore
    private let isReadOnly: Bool
    let model: ManagedObjectModel
    private let state = Mutex(State())

    /// - Throws: Why the store cannot be opened.
    init(
        _ open: @Sendable (StoreDescription) throws(OwnStoreError) -> any IncrementalStore,
        of description: StoreDescription, type: String, model: ManagedObjectModel
    ) throws(StoreError) {
        let path = "\(type):\(description.name)"
        (self.model, self.path, typeName, isReadOnly) = (model, path, type, description.isReadOnly)
        do throws(OwnStoreError) {
            own = try open(description)
            metadata = try own.metadata()
        } catch {
            throw StoreError(error, path: path)
        }
        uuid = own.uuid
    }

    func row(_ id: SourceKey) -> Row { Row(root: model.entities[id.entity].rootIndex, key: id.key) }

    /// Whether the database has an object.
    func has(_ id: SourceKey) -> Bool { version(of: id) != nil }

    /// The store's version of an object that the database has.
    func version(of id: SourceKey) -> Int64? { state.withLock { $0.versions[row(id)] } }

    /// Notes which version the database has; `nil` if it has none any more.
    func note(_ version: Int64?, of id: SourceKey) { state.withLock { $0.versions[row(id)] = version } }

    /// The objects that the last saves met in other versions, once.
    func takeConflicts() -> [SourceKey] {
        state.withLock { state in
            defer { state.conflicts = [] }
            return state.conflicts
        }
    }

    /// Asks the store, whose errors become those of all stores.
    func asking<Result>(_ body: () throws(OwnStoreError) -> Result) throws(StoreError) -> Result {
        do throws(OwnStoreError) { return try body() } catch {
            throw StoreError(error, path: path)
        }
    }
}

extension IncrementalSource {
    func publish(_ changes: SourceChanges) throws(StoreError) {
        if isReadOnly { throw .readOnly(path: path) }
        var told = IncrementalChanges()
        told.metadata = changes.metadata
        told.inserted = changes.inserted.map { stored($0, version: 0) }
        told.updated = changes.updated.map { object, properties in
            let all = model.entities[object.id.entity].properties
            return IncrementalChanges.Update(
                object: stored(object, version: version(of: object.id) ?? 0),
                properties: Set(properties.map { all[$0].name }))
        }
        told.deleted = changes.deleted.map {
            IncrementalChanges.Delete(id: id($0), version: version(of: $0) ?? 0)
        }
        let versions: [StoredObjectID: Int64]
        do throws(OwnStoreError) { versions = try own.save(told) } catch {
            guard case .conflicts(let ids) = error else { throw StoreError(error, path: path) }
            let keys = try ids.map { stale throws(StoreError) in try key(stale) }
            state.withLock { $0.conflicts += keys }
            throw .busy(path: path)
        }
        var pending: [Row: Int64?] = [:]
        for object in changes.inserted { pending[row(object.id)] = versions[id(object.id)] ?? 1 }
        for (object, _) in changes.updated {
            pending[row(object.id)] = versions[id(object.id)] ?? (version(of: object.id) ?? 0) + 1
        }
        for object in changes.deleted { pending[row(object)] = .some(nil) }
        let settled = pending
        state.withLock { $0.pending = settled }
    }

    func didCommit(_ isKept: Bool) {
        state.withLock { state in
            for (row, version) in state.pending {
                // What the store has and the database has not is another version there.
                state.versions[row] = isKept ? version : state.versions[row].map { _ in -1 }
            }
            state.pending = [:]
        }
    }
}

// MARK: Values

extension IncrementalSource {
    /// What the engine calls an object.
    func key(_ id: StoredObjectID) throws(StoreError) -> SourceKey {
        guard let entity = model.entity(named: id.entity), id.key > 0 else {
            throw .damaged(path: path, detail: "it has an object '\(id.entity)' \(id.key)")
        }
        return SourceKey(entity: entity.index, key: id.key)
    }

    /// What the store calls an object.
    func id(_ key: SourceKey) -> StoredObjectID { StoredObjectID(model.entities[key.entity].name, key.key) }

    /// An object for the store.
    private func stored(_ object: SourceObject, version: Int64) -> StoredObject {
        let entity = model.entities[object.id.entity]
        var stored = StoredObject(id(object.id), version: version)
        for (index, value) in object.values {
            guard let attribute = entity.properties[index].attribute else { continue }
            stored.values[attribute.name] = value.value(of: attribute.type)
        }
        for (index, members) in object.references {
            stored.relationships[entity.properties[index].name] = members.map { id($0) }
        }
        return stored
    }

    /// An object for the engine, which is not trusted.
    func object(_ stored: StoredObject) throws(StoreError) -> SourceObject {
        let id = try key(stored.id)
        let entity = model.entities[id.entity]
        func damaged(_ detail: String) -> StoreError {
            .damaged(path: path, detail: "the object '\(entity.name)' \(id.key) \(detail)")
        }
        if entity.isAbstract { throw damaged("is of an abstract entity") }
        var object = SourceObject(id: id)
        for (name, value) in stored.values where !value.isNull {
            guard let attribute = entity.property(named: name)?.attribute, !attribute.isTransient else {
                throw damaged("has a value of '\(name)', an attribute that is not stored")
            }
            guard value.fits(attribute.type), let value = AtomicStoreValue(value) else {
                throw damaged("has a value of '\(name)' that is not of the type \(attribute.type)")
            }
            object.values[attribute.index] = value
        }
        for (name, members) in stored.relationships {
            guard let relationship = entity.property(named: name)?.relationship, !relationship.isTransient
            else { throw damaged("has objects of '\(name)', a relationship that there is not") }
            if relationship.isToMany { continue }
            guard members.count <= 1 else { throw damaged("has several objects in '\(name)'") }
            object.references[relationship.index] = try members.map { member throws(StoreError) in
                let end = try key(member)
                guard model.destination(of: relationship).familyIndices.contains(end.entity) else {
                    throw damaged("has an object of another entity in '\(name)'")
                }
                return end
            }
        }
        return object
    }
}

extension StoreError {
    /// The one place where errors of an application's own store become those of all stores.
    init(_ error: OwnStoreError, path: String) {
        self =
            switch error {
            case .damaged(let detail): .damaged(path: path, detail: detail)
            case .unsupported(let entity, let property, let detail):
                .unsupported(entity: entity, property: property, detail: detail)
            case .unavailable(let detail): .io(path: path, detail: detail)
            case .conflicts: .busy(path: path)
            }
    }
}
