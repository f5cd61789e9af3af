public import CofferModel

/// A scratch pad of managed objects over the stores of one coordinator.
///
/// Confined: it belongs to one actor, as do its objects; hand over ids instead. Calls block for a round
/// trip if they say so. It holds its objects weakly, but those with changes until they are saved, rolled
/// back or reset.
///
/// What other contexts and processes save arrives unasked, and is merged at the beginning of `fetch` and
/// `save`, and in `mergePendingChanges()`: property by property, with local changes kept.
///
/// ```swift
/// let note = context.insert(Note.self)
/// note.title = "Milk"
/// for old in try context.fetch(Note.where { $0.stars == 0 }) { context.delete(old) }
/// try context.save()  // One transaction: all of it, or nothing.
/// ```
public final class ManagedObjectContext {
    /// Names the context in the history of its saves.
    public var name: String
    /// The author of its saves, in the history.
    public var transactionAuthor: String
    /// What wins when a save finds that objects changed in the store.
    public var mergePolicy = MergePolicy.error
    /// Whether saves and batch operations may wait until nothing else is to be read from or written to the
    /// disk, as those of an import can.
    ///
    /// They are as durable and as ordered as others, and come later only if the disk is busy. Other saves
    /// do not wait for them: as soon as another save is handed in, what is under way goes on at the
    /// ordinary priority. What a child saves into its parent is the parent's to save.
    public var savesInBackground = false
    /// Whether changes of others are merged without `mergePendingChanges()` being called.
    ///
    /// Until they are merged, objects are as they were read, each at its own time. Both ends of a
    /// one-to-one relationship agree if both objects were read before the last merge and have no changes,
    /// after a save that met a conflict as well: a newer row of one object makes the others read their end
    /// again when it is asked for. An object that is read for the first time, and the members of a to-many
    /// relationship that is read, may be newer than the objects they lead to. After a merge all ends agree
    /// but those of unsaved changes.
    public var automaticallyMergesChanges = true
    /// How old a row of the store's cache may be that a fault is read from; `nil`, as at first, for any age.
    ///
    /// Rows of the cache are those of the file in any case, batch operations and what other programs write
    /// into it included, so that a refreshed object has the stored values at once. (Core Data's cache may lag
    /// behind, and a refresh then shows old values until the interval is 0.) With 0 every fault is read from
    /// the file itself.
    public var stalenessInterval: Duration?
    /// Notes what is done, to undo it; `nil`, as at first, notes nothing, and costs nothing.
    public var undoManager: ContextUndoManager?
    /// Why a plain accessor could not read what it was asked for; `nil` once it was set so by the
    /// application.
    public var lastFaultError: CofferError?
    /// What the context asked of the stores so far.
    public internal(set) var statistics = ContextStatistics()

    /// Whether saves judge objects; a migration does it when all objects are there.
    package var validatesOnSave = true
    let coordinator: any PersistentStoreCoordinator
    let registry: Registry
    let mailbox = ContextMailbox()
    /// Why stores will change or did, while handlers of `storesWillChange` and `storesDidChange` are
    /// called; `nil` if that has nothing to do with accounts.
    public internal(set) var storeTransition: StoreTransition?
    /// What came from the stores and is being merged.
    var unmergedEvents = MergeQueue<CoordinatorEvent>()
    /// What came from the parent and is being merged.
    var unmergedChanges = MergeQueue<ParentChange>()
    /// The number of the last transaction of its own in each store, by the stores' places.
    var lastSaves: [Int16: UInt64] = [:]
    /// Whether a transaction or a change of the parent is being taken in.
    var isMerging = false
    /// Whether objects that unsaved changes refer to may be gone, since something unknown happened.
    var doubtsEnds = false
    /// How often unsaved changes were given up with the stores that they were for.
    var lossCount = 0
    let hub = NotificationHub()
    /// What objects became that a uniqueness constraint made one with others, by what they were called.
    var mergedNames: [ObjectReference: ObjectReference] = [:]
    /// What was taken in while answers were on their way.
    var arrivals = ArrivalWatch()
    /// The permanent names of objects that are not saved.
    package internal(set) var reserved = ReservedNames()
    /// The state that is read; `nil` for the present one.
    var pinned: PinnedStores?
    /// What each store calls it.
    var generations: [UInt64] = []
    var inserted: Set<ManagedObject> = []
    var updated: Set<ManagedObject> = []
    var deleted: Set<ManagedObject> = []
    /// The places of the stores that keep each entity, by its index; made again when stores are added.
    var storesByEntity: [[Int16]] = []
    /// The context above; `nil` for one that saves into stores.
    let link: ParentLink?
    /// The contexts below.
    var children: [ChildEntry] = []
    /// The last version that was given to what children read.
    var lastStamp: UInt32 = 0
    var isServing = false
    /// Up to where the permanent names of objects were followed.
    var nameStep = 0

    /// A context over the stores of `coordinator`, empty.
    package init(coordinator: any PersistentStoreCoordinator, name: String = "", author: String = "") {
        self.coordinator = coordinator
        self.name = name
        transactionAuthor = author
        link = nil
        registry = Registry(model: coordinator.model, tree: ContextTree())
        registry.context = self
        // First, so that no exchange is missed of a store that is known by its former handle then.
        coordinator.addObserver(mailbox)
        refreshStores()
    }

    /// A context below another one, empty.
    init(parent: ParentLink, seed: ParentSeed, name: String, author: String) {
        coordinator = seed.coordinator
        self.name = name
        transactionAuthor = author
        link = parent
        registry = Registry(model: seed.coordinator.model, tree: seed.tree)
        registry.context = self
        for (entity, type) in seed.classes { registry.register(type, forEntity: entity) }
        refreshStores()
        nameStep = tree.join(ObjectIdentifier(mailbox))
    }

    deinit {
        // Objects that outlive the context keep the tree, but no state of the stores.
        if link != nil { tree.leave(ObjectIdentifier(mailbox)) } else { tree.pinned = nil }
        mailbox.close()
        for object in inserted.union(updated).union(deleted) { object.edits = nil }
    }
}

extension ManagedObjectContext {
    /// What the contexts of one tree share.
    var tree: ContextTree { registry.tree }

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

    /// All objects that the context has and that are still held, saved or not.
    public var registeredObjects: Set<ManagedObject> { Set(registry.objects) }

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

    /// Takes in stores that were loaded since the context looked last.
    func followStores() {
        if coordinator.storeCount != registry.stores.count { refreshStores() }
    }

    /// Looks again which stores there are.
    ///
    /// While there are changes, stores that are known stay what they were until `storesDidChange()`: in the
    /// file that another one was exchanged for, the keys of changed objects are those of anything.
    func refreshStores(areExchanged: Bool = false) {
        var stores = coordinator.stores
        if hasChanges && !areExchanged {
            stores.replaceSubrange(..<min(registry.stores.count, stores.count), with: registry.stores)
        }
        take(stores)
    }

    /// Takes what stands at some places of the coordinator now; what became of the others is told by events
    /// of their own.
    func refreshStores(at places: Set<Int>) {
        let present = coordinator.stores
        var stores = registry.stores
        for place in places where stores.indices.contains(place) && present.indices.contains(place) {
            stores[place] = present[place]
        }
        take(stores)
    }

    private func take(_ stores: [CoordinatedStoreDescription]) {
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
