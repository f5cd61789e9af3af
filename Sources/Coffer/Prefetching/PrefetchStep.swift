import CofferModel

/// One relationship that a prefetch follows, and those that it follows from what this leads to.
struct PrefetchStep {
    /// The relationship's place among the properties of its entity.
    let slot: Int
    let isToMany: Bool
    let next: [PrefetchStep]

    /// The steps of key paths from an entity on; those that begin alike are taken once.
    ///
    /// - Throws: `CofferError.unknown` if a key is not a relationship of the entity that it is asked of.
    static func steps(
        _ keyPaths: [[Substring]], from entity: EntityDescription, in model: ManagedObjectModel
    ) throws(CofferError) -> [PrefetchStep] {
        var steps: [PrefetchStep] = []
        var known: Set<Substring> = []
        for key in keyPaths.compactMap(\.first) where known.insert(key).inserted {
            guard let slot = entity.propertyIndex(named: String(key)),
                let relationship = entity.properties[slot].relationship
            else { throw .unknown(kind: "relationship of '\(entity.name)'", name: String(key)) }
            let rest = keyPaths.filter { $0.first == key && $0.count > 1 }.map { Array($0.dropFirst()) }
            let destination = model.destination(of: relationship)
            steps.append(
                PrefetchStep(
                    slot: slot, isToMany: relationship.isToMany,
                    next: try self.steps(rest, from: destination, in: model)))
        }
        return steps
    }

    /// The steps of key paths whose keys are joined by dots; those that begin alike are taken once.
    static func steps(
        _ keyPaths: [String], from entity: EntityDescription, in model: ManagedObjectModel
    ) throws(CofferError) -> [PrefetchStep] {
        try steps(
            keyPaths.map { $0.split(separator: ".", omittingEmptySubsequences: false) }, from: entity,
            in: model)
    }
}
