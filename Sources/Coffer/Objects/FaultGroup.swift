/// Faults that came from one fetch or relationship: when one fires, those around it are read with it.
final class FaultGroup {
    /// All of them, in order.
    let references: [ObjectReference]
    /// Whether those that nobody holds yet are read along too, since they will probably be asked for next.
    let includesUnmade: Bool

    init(_ references: [ObjectReference], includesUnmade: Bool = false) {
        self.references = references
        self.includesUnmade = includesUnmade
    }

    /// Those from `reference` on, and as many before it as there is room for, `reference` among them.
    func around(_ reference: ObjectReference, limit: Int) -> ArraySlice<ObjectReference> {
        guard let place = references.firstIndex(of: reference) else { return [reference] }
        let end = min(references.count, place + limit)
        return references[max(0, end - limit)..<end]
    }
}
