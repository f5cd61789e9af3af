/// Faults that came from one fetch or relationship: when one fires, those around it are read with it.
final class FaultGroup {
    /// All of them, in order.
    let references: [ObjectReference]

    init(_ references: [ObjectReference]) {
        self.references = references
    }

    /// Those from `reference` on, and as many before it as there is room for, `reference` among them.
    func around(_ reference: ObjectReference, limit: Int) -> ArraySlice<ObjectReference> {
        guard let place = references.firstIndex(of: reference) else { return [reference] }
        let end = min(references.count, place + limit)
        return references[max(0, end - limit)..<end]
    }
}
