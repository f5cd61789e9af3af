public import CofferModel

/// The objects of fetched results, in order, as they were when they were asked for.
///
/// Objects are made when they are got, as faults that are read together with their neighbours; nobody keeps them but whoever got them. A
/// copy of the list costs nothing, until the results change.
public struct FetchedObjects<Object: ManagedObject>: RandomAccessCollection {
    let context: ManagedObjectContext
    let references: [ObjectReference]
    let order: ArraySlice<Int32>

    /// The first place.
    public var startIndex: Int { 0 }
    /// The place after the last.
    public var endIndex: Int { order.count }

    /// The object at a place; a fault where the context has not read it.
    public subscript(position: Int) -> Object {
        let object = context.object(reference(position))
        if object.isFault && object.faults == nil {
            let start = position - position % Limits.faultBatch
            let around = start..<Swift.min(order.count, start + Limits.faultBatch)
            let table = object.reference.table
            object.faults = FaultGroup(
                around.map(reference).filter { $0.table == table }, includesUnmade: true)
        }
        guard let object = object as? Object else {
            preconditionFailure(
                "another class was registered for '\(object.entity.name)' than \(Object.self)")
        }
        return object
    }

    /// The id at a place; makes no object.
    public func objectID(at position: Int) -> ManagedObjectID {
        context.registry.id(reference(position))
    }

    private func reference(_ position: Int) -> ObjectReference {
        references[Int(order[order.startIndex + position])]
    }
}

/// Neighbours among fetched results that have the same section name.
public struct FetchedSection<Object: ManagedObject> {
    /// The section key path's value as text; empty where there is no section key path, or the value is null.
    public let name: String
    /// The first letter of the name, as a capital.
    public let indexTitle: String
    /// The places of its rows among all rows.
    public let range: Range<Int>
    /// Its objects, in order.
    public let objects: FetchedObjects<Object>

    /// How many rows it has.
    public var count: Int { range.count }
}
