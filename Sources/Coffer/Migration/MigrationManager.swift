public import CofferModel
internal import FoundationEssentials

/// A migration that is done object by object, while it runs: Core Data's `NSMigrationManager`.
///
/// Confined: it belongs to the thread that migrates. It is handed to policies, which must let go of it and of
/// its contexts when their mapping ends; a policy that keeps them ends the migration with an error.
public final class MigrationManager {
    /// The mapping model that is followed.
    public let mappingModel: MappingModel
    /// The objects as they were; nothing can be saved there.
    public let sourceContext: ManagedObjectContext
    /// The objects as they will be, saved every now and then; only the migration saves.
    ///
    /// A policy may insert further objects. What the model demands is judged when all is done.
    public let destinationContext: ManagedObjectContext
    /// The entity mapping that is followed now; `nil` before the first.
    public internal(set) var currentEntityMapping: MappingModel.Entity?
    /// What the policies of a migration tell each other.
    public var userInfo: [String: Any] = [:]

    /// The policies, by the places of their mappings.
    private(set) var policies: [any EntityMigrationPolicy]
    let compiled: [CompiledMapping]
    let pairs: any MigrationPairKeeper
    /// What was made and is not saved yet.
    private var unsaved: [UnsavedPair] = []
    private var unsavedBySource: [ManagedObjectID: [Int]] = [:]
    private(set) var cancellation: (any Error)?
    private let storeUUIDs: (source: UUID, destination: UUID)

    private struct UnsavedPair {
        let mapping: Int
        let source: ManagedObject
        let destination: ManagedObject
    }

    /// A migration from one store to another, by policies in the order of their mappings.
    package init(
        _ mapping: MappingModel, compiled: [CompiledMapping], policies: [any EntityMigrationPolicy],
        from source: any PersistentStoreCoordinator, to destination: any PersistentStoreCoordinator,
        keeping pairs: any MigrationPairKeeper
    ) throws(CofferError) {
        mappingModel = mapping
        self.compiled = compiled
        self.policies = policies
        sourceContext = ManagedObjectContext(coordinator: source, name: "source")
        destinationContext = ManagedObjectContext(coordinator: destination, name: "destination")
        destinationContext.validatesOnSave = false
        self.pairs = pairs
        guard let from = source.stores.first?.uuid, let to = destination.stores.first?.uuid else {
            throw .unknown(kind: "store", name: "")
        }
        storeUUIDs = (from, to)
    }

    /// The model that the store had.
    public var sourceModel: ManagedObjectModel { sourceContext.model }

    /// The model that the store gets.
    public var destinationModel: ManagedObjectModel { destinationContext.model }

    /// Ends the migration with an error as soon as it can be; the store is as it was.
    public func cancelMigration(with error: any Error) { cancellation = cancellation ?? error }
}

// MARK: What was made of what

extension MigrationManager {
    /// Notes that an object was made of another one by an entity mapping.
    ///
    /// - Throws: `CofferError.unknown` if the mapping model has no such mapping; `.wrongType` for objects
    ///   of other contexts than those of the migration.
    public func associate(
        sourceInstance source: ManagedObject, withDestinationInstance destination: ManagedObject,
        for mapping: MappingModel.Entity
    ) throws(CofferError) {
        let place = try place(named: mapping.name)
        guard source.context === sourceContext, destination.context === destinationContext else {
            throw .wrongType(
                entity: destination.entity.name, property: "",
                expected: "an object of the migration's contexts")
        }
        unsavedBySource[source.objectID, default: []].append(unsaved.count)
        unsaved.append(UnsavedPair(mapping: place, source: source, destination: destination))
    }

    /// What an entity mapping made of some objects, in their order.
    ///
    /// - Throws: `CofferError.unknown` if the mapping model has no mapping of that name.
    public func destinationInstances(
        forEntityMappingNamed name: String, sourceInstances: [ManagedObject]
    ) throws(CofferError) -> [ManagedObject] {
        try made(of: sourceInstances, by: try place(named: name))
    }

    /// What an entity mapping made some objects of, in their order; each once.
    ///
    /// - Throws: `CofferError.unknown` if the mapping model has no mapping of that name.
    public func sourceInstances(
        forEntityMappingNamed name: String, destinationInstances: [ManagedObject]
    ) throws(CofferError) -> [ManagedObject] {
        let place = try place(named: name)
        var found: [ManagedObject] = []
        for destination in destinationInstances {
            for pair in unsaved where pair.mapping == place && pair.destination === destination {
                found.append(pair.source)
            }
            guard let object = pairObject(destination) else { continue }
            found += try pairs.sources(of: object, by: place).map { sourceContext.object(with: sourceID($0)) }
        }
        var told: Set<ManagedObject> = []
        return found.filter { told.insert($0).inserted }
    }

    /// What a mapping, or all of them, made of some objects, each once.
    func made(of sources: [ManagedObject], by mapping: Int?) throws(CofferError) -> [ManagedObject] {
        var found: [ManagedObject] = []
        for source in sources {
            if let object = pairObject(source) {
                found += try pairs.destinations(of: object, by: mapping).map {
                    destinationContext.object(with: destinationID($0))
                }
            }
            for place in unsavedBySource[source.objectID] ?? []
            where mapping == nil || unsaved[place].mapping == mapping {
                found.append(unsaved[place].destination)
            }
        }
        if found.count < 2 { return found }
        var told: Set<ManagedObject> = []
        return found.filter { told.insert($0).inserted }
    }

    func place(named name: String) throws(CofferError) -> Int {
        guard let place = mappingModel.entities.firstIndex(where: { $0.name == name }) else {
            throw .unknown(kind: "entity mapping", name: name)
        }
        return place
    }

    private func pairObject(_ object: ManagedObject) -> MigratedObject? {
        object.objectID.primaryKey.map { .init(entity: object.entity.index, key: $0) }
    }

    func sourceID(_ object: MigratedObject) -> ManagedObjectID {
        ManagedObjectID(
            entity: sourceModel.entities[object.entity], storeUUID: storeUUIDs.source,
            key: .permanent(object.key))
    }

    func destinationID(_ object: MigratedObject) -> ManagedObjectID {
        ManagedObjectID(
            entity: destinationModel.entities[object.entity], storeUUID: storeUUIDs.destination,
            key: .permanent(object.key))
    }

    /// Saves what was made, and keeps of what.
    func save() throws(CofferError) {
        try destinationContext.save()
        var made: [MigratedPair] = []
        for pair in unsaved {
            guard let source = pairObject(pair.source), let destination = pairObject(pair.destination) else {
                continue  // A policy has deleted it again.
            }
            made.append(MigratedPair(mapping: pair.mapping, source: source, destination: destination))
        }
        (unsaved, unsavedBySource) = ([], [:])
        try pairs.add(made)
    }

    /// Ends the policies, whatever they keep.
    package func dismissPolicies() {
        policies = []
        userInfo = [:]
    }
}
