public import CofferModel

/// The objects that a request found, made and read batch by batch while they are walked through.
///
/// It holds ids only, 16 bytes each, and the objects of the two batches that were used last: code that keeps
/// it, and not the objects, can walk through any number of them in little memory. The first use of a batch
/// costs one round trip, and one more for each step of what the request prefetches.
///
/// Which objects there are, and in what order, was decided by the fetch and does not change. An object that
/// others have deleted since, as far as the context knows or finds out when it reads the batch, keeps its
/// place: its `isDeleted` is `true`, its values are defaults, and `requireValues()` throws
/// `CofferError.objectDeleted`. (Core Data's proxy array raises an exception there.) An object that was
/// changed so that it no longer fits keeps its place too, with its new values. If a batch cannot be read, its
/// objects stay faults, and `ManagedObjectContext.lastFaultError` says why.
///
/// Confined with its context, which it keeps. Core Data fills arrays so behind the scenes, which a Swift
/// array cannot do.
public struct LazyResults<Object: ManagedObject>: RandomAccessCollection {
    private let batches: ObjectBatches

    init(_ batches: ObjectBatches) {
        self.batches = batches
    }

    /// The first place.
    public var startIndex: Int { 0 }

    /// One behind the last place.
    public var endIndex: Int { batches.references.count }

    /// The object at a place, its values read.
    public subscript(position: Int) -> Object {
        batches.object(at: position).cast()
    }

    /// The ids of all objects; reads nothing.
    public var objectIDs: [ManagedObjectID] {
        batches.references.enumerated().map { place, reference in
            batches.unsaved[place]?.objectID ?? batches.context.registry.id(reference)
        }
    }
}

/// Objects by place, of which those used last are kept.
///
/// Confined with its context.
final class ObjectBatches {
    let context: ManagedObjectContext
    /// All objects, in order.
    private(set) var references: [ObjectReference]
    /// The objects that are not saved: they could not be found by their references once they are.
    let unsaved: [Int: ManagedObject]
    private let size: Int
    private let steps: [PrefetchStep]
    private let extent: RowExtent
    /// The two batches used last, the last one first.
    private var used: [(number: Int, objects: [ManagedObject])] = []

    init(
        _ references: [ObjectReference], unsaved: [Int: ManagedObject], size: Int, steps: [PrefetchStep],
        _ extent: RowExtent, in context: ManagedObjectContext
    ) {
        self.extent = extent
        self.references = references
        self.unsaved = unsaved
        self.size = size
        self.steps = steps
        self.context = context
    }

    /// The object at a place, with its batch.
    func object(at place: Int) -> ManagedObject {
        let number = place / size
        if used.first?.number != number { use(number) }
        return used[0].objects[place - number * size]
    }

    private func use(_ number: Int) {
        if used.count > 1, used[1].number == number { return used.swapAt(0, 1) }
        let objects = made(number)
        used = [(number, objects)] + used.prefix(1)
        do throws(CofferError) {
            for (_, faults) in Dictionary(grouping: objects.filter { $0.isFault }, by: \.reference.table) {
                try context.read(faults, extent)
            }
            try context.prefetch(steps, from: objects.filter { !$0.isLost }, extent)
        } catch {
            context.lastFaultError = error
        }
    }

    private func made(_ number: Int) -> [ManagedObject] {
        let places = (number * size)..<Swift.min((number + 1) * size, references.count)
        return places.map { place in unsaved[place] ?? context.object(references[place]) }
    }
}

extension ManagedObjectContext {
    /// The objects that fit a request as a collection that holds only ids, and reads objects batch by batch.
    ///
    /// A batch has the request's `fetchBatchSize`, 200 if it names none. Blocks for a round trip for the ids,
    /// and for one whenever a batch is reached. What the context changed takes part as in `fetch(_:)`, as it
    /// is now.
    /// - Throws: As `fetch(_:)` does.
    public func fetchLazily<Object: ManagedObject>(
        _ request: FetchRequest<Object>
    ) throws(CofferError) -> LazyResults<Object> {
        let plan = try plan(request)
        useClass(Object.self, for: plan.entity)
        for index in plan.entity.familyIndices where request.includesSubentities || index == plan.entity.index
        {
            let layout = registry.layout(index)
            guard layout.type is Object.Type else {
                throw .wrongType(
                    entity: layout.entity.name, property: "", expected: "class \(Object.self)")
            }
        }
        let steps = try PrefetchStep.steps(
            request.relationshipKeyPathsForPrefetching, from: plan.entity, in: model)
        let size = request.fetchBatchSize > 0 ? request.fetchBatchSize : Limits.faultBatch
        guard plan.overlay != nil || plan.stores.count != 1 || plan.limit == 0 else {
            let references = try fetchReferences(plan, plan.stores[0])
            return LazyResults(
                ObjectBatches(references, unsaved: [:], size: size, steps: steps, plan.extent, in: self))
        }
        let objects = try objects(plan, .ids(batchSize: size))
        var unsaved: [Int: ManagedObject] = [:]
        for (place, object) in objects.enumerated()
        where object.reference.isUnsaved || object.isInserted {
            unsaved[place] = object
        }
        return LazyResults(
            ObjectBatches(
                objects.map(\.reference), unsaved: unsaved, size: size, steps: steps, plan.extent, in: self))
    }
}
