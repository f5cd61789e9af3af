public import CofferModel

/// The objects of fetched results, in order, as they were when they were asked for.
///
/// Objects are made when they are got, as faults that are read together with their neighbours; only the code
/// that got them keeps them. A copy of the list costs nothing, until the results change.
///
/// The list does not change, whatever becomes of its objects. One that was not saved is the same after a
/// save. One that was deleted since keeps its place: its `isDeleted` is `true`, its values are defaults, and
/// `requireValues()` throws `CofferError.objectDeleted`. To know that, a list whose results have lost objects
/// reads a fault when it is got. An object that was changed so that it no longer fits keeps its place too,
/// with its new values.
public struct FetchedObjects<Object: ManagedObject>: RandomAccessCollection {
    let context: ManagedObjectContext
    let references: [ObjectReference]
    let order: ArraySlice<Int32>
    /// The objects that were not saved.
    let unsaved: [ObjectReference: ManagedObject]
    let fate: ResultFate

    /// The first place.
    public var startIndex: Int { 0 }
    /// The place after the last.
    public var endIndex: Int { order.count }

    /// The object at a place; a fault if the context has not read it.
    public subscript(position: Int) -> Object {
        let object = anyObject(position)
        if object.isFault {
            if object.faults == nil { object.faults = neighbours(of: object, at: position) }
            if fate.haveLeft { fate.look(at: object) }
        }
        return object.cast()
    }

    /// The id at a place; makes no object.
    public func objectID(at position: Int) -> ManagedObjectID {
        unsaved[reference(position)]?.objectID ?? context.registry.id(currentReference(position))
    }

    private func anyObject(_ position: Int) -> ManagedObject {
        let reference = currentReference(position)
        return unsaved[reference] ?? fate.deleted[reference] ?? context.object(reference)
    }

    private func neighbours(of object: ManagedObject, at position: Int) -> FaultGroup {
        let start = position - position % Limits.faultBatch
        let around = start..<Swift.min(order.count, start + Limits.faultBatch)
        let table = object.reference.table
        return FaultGroup(around.map(currentReference).filter { $0.table == table }, includesUnmade: true)
    }

    /// What the object at a place is called now, unless it was not saved and still is what it was.
    private func currentReference(_ position: Int) -> ObjectReference {
        var reference = reference(position)
        // A uniqueness constraint may have made it one with a stored object.
        if let object = unsaved[reference], object.status.contains(.gone) { reference = object.reference }
        return context.mergedNames[reference] ?? reference
    }

    private func reference(_ position: Int) -> ObjectReference {
        references[Int(order[order.startIndex + position])]
    }
}

/// What becomes of results after lists of them were given out.
///
/// Confined with its context, and shared by all lists of one state of the results.
final class ResultFate {
    /// Whether some have left the results: perhaps they were deleted.
    var haveLeft = false
    /// Objects that turned out to be deleted.
    private(set) var deleted: [ObjectReference: ManagedObject] = [:]

    /// Reads a fault, and keeps it if there is no such object any more.
    func look(at object: ManagedObject) {
        if !object.fire(), object.isLost { deleted[object.reference] = object }
    }
}

/// Neighbours among fetched results that have the same section name.
public struct FetchedSection<Object: ManagedObject> {
    /// The section key path's value as text; empty if there is no section key path, or the value is null.
    public let name: String
    /// The first letter of the name, as a capital.
    public let indexTitle: String
    /// The places of its rows among all rows.
    public let range: Range<Int>
    /// The objects of the section, in order.
    public let objects: FetchedObjects<Object>

    /// How many rows it has.
    public var count: Int { range.count }
}
