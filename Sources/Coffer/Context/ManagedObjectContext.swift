public import CofferModel
import FoundationEssentials

/// A scratch pad of managed objects over the stores of one coordinator.
///
/// Confined: it belongs to one actor, as do its objects; hand over ids instead. Calls block for a round trip where they say so. It holds
/// its objects weakly, but those with changes until they are saved, rolled back or reset.
///
/// What other contexts and processes save arrives unasked, and is merged at the beginning of `fetch` and `save`, and in
/// `mergePendingChanges()`: property by property, with local changes kept.
public final class ManagedObjectContext {
    /// Names the context in the history of its saves.
    public var name: String
    /// Who saves, in the history.
    public var transactionAuthor: String
    /// What wins when a save finds that objects changed in the store.
    public var mergePolicy = MergePolicy.error
    /// Whether changes of others are merged without `mergePendingChanges()` being called.
    public var automaticallyMergesChanges = true
    /// Why a plain accessor could not read what it was asked for; `nil` once it was set so by the application.
    public var lastFaultError: CofferError?
    /// What the context asked of the stores so far.
    public internal(set) var statistics = ContextStatistics()

    let coordinator: any StoreCoordinator
    let registry: Registry
    let mailbox = ContextMailbox()
    let hub = NotificationHub()
    var readAhead = ReadAhead()
    var inserted: Set<ManagedObject> = []
    var updated: Set<ManagedObject> = []
    var deleted: Set<ManagedObject> = []
    /// Objects not saved, by their ids.
    var temporaryReferences: [UUID: ObjectReference] = [:]
    /// The places of the stores that keep each entity, by its index; made anew when stores are added.
    var storesByEntity: [[Int16]] = []

    /// A context over the stores of `coordinator`, empty.
    package init(coordinator: any StoreCoordinator, name: String = "", author: String = "") {
        self.coordinator = coordinator
        self.name = name
        transactionAuthor = author
        registry = Registry(model: coordinator.model, stores: [])
        registry.context = self
        refreshStores()
        coordinator.addObserver(mailbox)
    }

    deinit {
        for object in inserted.union(updated).union(deleted) { object.edits = nil }
    }
}

extension ManagedObjectContext {
    /// The model of the stores.
    public var model: ManagedObjectModel { coordinator.model }

    /// Whether the next save has something to do.
    public var hasChanges: Bool { !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty }

    /// What the next save inserts.
    public var insertedObjects: Set<ManagedObject> { inserted }

    /// What was saved before and has changes.
    public var updatedObjects: Set<ManagedObject> { updated }

    /// What the next save deletes.
    public var deletedObjects: Set<ManagedObject> { deleted }

    /// How many objects the context has, saved or not.
    public var registeredObjectCount: Int { registry.count }

    /// Called when changes of others wait to be merged: on any thread, once until they are merged.
    ///
    /// It should see to it that `mergePendingChanges()` is called on the context's actor.
    public var wakeUp: (@Sendable () -> Void)? {
        get { mailbox.wakeUp }
        set { mailbox.wakeUp = newValue }
    }

    /// Makes the objects of the entities with the classes' names of those classes.
    ///
    /// Call it before there are objects: those that exist keep their class.
    public func register(_ types: ManagedObject.Type...) {
        for type in types { registry.register(type, forEntity: type.entityName) }
    }

    /// Makes the objects of an entity of a class.
    public func register(_ type: ManagedObject.Type, forEntity name: String) {
        registry.register(type, forEntity: name)
    }

    /// Looks anew which stores there are.
    func refreshStores() {
        let stores = coordinator.stores
        registry.update(stores: stores)
        storesByEntity = Array(repeating: [], count: model.entities.count)
        for (place, store) in stores.enumerated() {
            for entity in model.entities(in: store.configuration) ?? [] {
                for index in entity.familyIndices where storesByEntity[index].last != Int16(place) {
                    storesByEntity[index].append(Int16(place))
                }
            }
        }
    }

    /// An entity by name.
    func entity(named name: String) throws(CofferError) -> EntityDescription {
        guard let entity = model.entity(named: name) else { throw .unknown(kind: "entity", name: name) }
        return entity
    }
}
