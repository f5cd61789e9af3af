/// Faults that came from one fetch or relationship: when one fires, those around it are read with it.
///
/// Confined with the context.
final class FaultGroup {
    /// All of them, in order.
    let references: [ObjectReference]
    /// Whether references without an object yet are read along too, since they will probably be asked for
    /// next.
    let includesUnmade: Bool
    /// How many are read in one round trip.
    let batchSize: Int
    /// What is read of them at first; more is read if it is asked for.
    let extent: RowExtent
    /// What keeps the rows of those that were prefetched.
    let prefetched: PrefetchedRows?
    /// Where the last one that fired stands: the next is mostly found from there.
    private var place = 0

    init(
        _ references: [ObjectReference], includesUnmade: Bool = false,
        batchSize: Int = Limits.faultBatch, extent: RowExtent = .withoutExternal,
        prefetched: PrefetchedRows? = nil
    ) {
        self.extent = extent
        self.references = references
        self.includesUnmade = includesUnmade
        self.batchSize = batchSize
        self.prefetched = prefetched
    }

    /// The faults from `reference` on, and as many before it as there is room for in a batch, `reference`
    /// among them; at most `limit`.
    func around(_ reference: ObjectReference, limit: Int = .max) -> ArraySlice<ObjectReference> {
        let batchSize = min(batchSize, limit, references.count)  // Any number may have been asked for.
        guard
            let found = references[place...].firstIndex(of: reference)
                ?? references[..<place].firstIndex(of: reference)
        else { return [reference] }
        place = found
        let end = min(references.count, found + batchSize)
        return references[max(0, end - batchSize)..<end]
    }
}
