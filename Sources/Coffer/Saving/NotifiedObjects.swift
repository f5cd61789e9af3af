/// Objects that were told that they will be saved.
///
/// Most saves are of a few objects, of which it is quicker to look at each than to hash one.
struct NotifiedObjects {
    private static let fewest = 8

    private var few: [ManagedObject] = []
    private var many: Set<ManagedObject> = []

    func contains(_ object: ManagedObject) -> Bool {
        many.isEmpty ? few.contains { $0 === object } : many.contains(object)
    }

    mutating func insert(_ objects: [ManagedObject]) {
        if many.isEmpty, few.count + objects.count <= Self.fewest {
            few = few.isEmpty ? objects : few + objects
        } else {
            many.formUnion(few)
            many.formUnion(objects)
            few = []
        }
    }
}
