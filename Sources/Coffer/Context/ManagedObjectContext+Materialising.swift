import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Tells objects that they have values now: not before the end, since what an application does then may
    /// be another call.
    func awake(_ objects: FoundObjects) -> [ManagedObject] {
        var found = objects
        for place in found.objects.indices where !found.isKnown(place) {
            found.objects[place].awakeFromFetch()
        }
        return found.objects
    }

    /// The objects of rows that hold ids only.
    func references(_ rows: PackedRows, store: Int16) throws(CofferError) -> [ObjectReference] {
        let rows = try registry.snapshots(rows, .part).rows
        return (0..<rows.rowCount).map {
            registry.reference(store: store, entity: rows.leafEntity($0), key: rows.primaryKey($0))
        }
    }

    /// The objects of rows, with their values.
    func materialise(
        _ rows: PackedRows, store: Int16, into found: inout FoundObjects
    ) throws(CofferError) {
        let batch = try registry.snapshots(rows, .part)
        guard rows.rowCount > 0 else { return }
        registry.reserve(rows.rowCount, like: registry.reference(store: store, entity: rows.entity, key: 0))
        var leaf = -1
        var layout = registry.layout(rows.entity)
        var reference = registry.reference(store: store, entity: rows.entity, key: 0)
        for row in 0..<rows.rowCount {
            if leaf < 0 || (!rows.isUniform && rows.leafEntity(row) != leaf) {
                leaf = rows.leafEntity(row)
                layout = registry.layout(leaf)
                reference.leaf = UInt16(leaf)
            }
            reference.key = rows.primaryKey(row)
            if let known = registry.object(reference) {
                if !refetched(known, from: batch, row: row, layout: layout) {
                    found.known.append(found.objects.count)
                }
                found.objects.append(known)
                continue
            }
            let object = layout.type.init(
                ObjectSeed(registry: registry, layout: layout, reference: reference))
            object.batch = batch
            object.row = Int32(truncatingIfNeeded: row)
            object.version = batch.version(row)
            object.status.insert(.held)
            registry.add(object)
            found.objects.append(object)
        }
    }

    /// Takes in the row of an object that the context has, and says whether that was a fault.
    ///
    /// A row that knows less of it than the snapshot does is taken only if it is newer.
    private func refetched(
        _ object: ManagedObject, from batch: SnapshotBatch, row: Int, layout: EntityLayout
    ) -> Bool {
        let wasFault = object.isFault
        let isWhole = layout.storedSlots.allSatisfy { batch.knows($0) }
        if wasFault || batch.version(row) > object.version
            || (isWhole && batch.version(row) == object.version)
        {
            object.adopt(batch, row: row)
        }
        return wasFault
    }
}

/// The objects that a fetch found so far.
struct FoundObjects {
    var objects: [ManagedObject] = []
    /// The places of those whose values the context had already, ascending.
    var known: [Int] = []
    private var next = 0

    /// Whether the object at a place is one of `known`; asked of all places in order.
    mutating func isKnown(_ place: Int) -> Bool {
        guard next < known.count, known[next] == place else { return false }
        next += 1
        return true
    }
}
