package import CofferModel

extension VersionHashes {
    /// The most to-one relationships of an entity whose marks are looked for.
    private static let markLimit = 10

    /// Whether `stored` are the hashes of the entities of one configuration of `model`, be it that some of
    /// the to-one relationships had the mark of an order.
    ///
    /// Xcode leaves that mark on relationships that were to-many before. Models do not have it here, since
    /// one object has no order. No file has shown whether Core Data enters it into hashes: both are found.
    /// - Complexity: O(properties) if the hashes are equal, else up to 2 ^ 10 hashes for an entity.
    package static func fit(
        _ stored: [String: [UInt8]], _ model: ManagedObjectModel, configuration: String
    ) -> Bool {
        guard let members = model.entities(in: configuration), members.count == stored.count else {
            return false
        }
        let names = Set(members.map(\.name))
        var hashes: [[UInt8]] = []
        for entity in model.entities {  // Super-entities stand before those that inherit.
            let superentity = entity.superentityIndex.map { hashes[$0] }
            let plain = hash(of: entity, superentity: superentity, .current)
            guard names.contains(entity.name) else {
                hashes.append(plain)
                continue
            }
            guard let known = stored[entity.name],
                known == plain || hasMarks(entity, superentity: superentity, giving: known)
            else { return false }
            hashes.append(known)
        }
        return true
    }

    /// Whether some marks give an entity the hash `known`.
    private static func hasMarks(
        _ entity: EntityDescription, superentity: [UInt8]?, giving known: [UInt8]
    ) -> Bool {
        let names = entity.properties.filter { property in
            !property.isTransient && property.relationship?.isToMany == false
        }.prefix(markLimit).map(\.name)
        return (1..<(1 << names.count)).contains { bits in
            let marked = names.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element)
            return hash(of: entity, superentity: superentity, .current, orders: Set(marked)) == known
        }
    }
}
