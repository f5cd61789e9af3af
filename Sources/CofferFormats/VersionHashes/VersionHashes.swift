package import CofferModel

/// The version hashes of a model's entities, by which Core Data tells whether a store fits a model.
///
/// They cover what a store depends on, and leave out defaults, delete rules, validation, classes, indexes and
/// user info.
///
/// Source: measured; reproduces the hashes of real stores of Core Data 419 to 1513. Read-only properties and
/// composite attributes were not among them.
package struct VersionHashes: Sendable, Hashable {
    /// The hash of each entity, 32 bytes.
    package let entities: [String: [UInt8]]

    /// The rules by which hashes are made: Core Data's, and those that stores of Coffer's had once.
    package enum Rules: Sendable, CaseIterable {
        /// Core Data's.
        case current
        /// Uniqueness constraints entered in the order in which the model has them.
        case declaredConstraints
        /// Besides, the expression of a derived attribute entered as the model has it, not as Core Data
        /// archives it.
        case writtenDerivations
    }

    /// The hashes of all entities of `model`.
    package init(of model: ManagedObjectModel) {
        entities = Self.hashes(of: model, .current)
    }

    /// The hashes of the entities of one configuration, or `nil` if `model` has none of that name.
    ///
    /// An entity's hash is the same in each configuration.
    package init?(of model: ManagedObjectModel, configuration: String, rules: Rules = .current) {
        guard let members = model.entities(in: configuration) else { return nil }
        let names = Set(members.map(\.name))
        entities = Self.hashes(of: model, rules).filter { names.contains($0.key) }
    }

    /// Hashes that a store or a file named.
    package init(entities: [String: [UInt8]]) {
        self.entities = entities
    }

    /// SHA-512 over each entity's name and hash, entities by name, in base 64.
    package var digest: String {
        var hash = SHA512()
        for (name, value) in entities.sorted(by: { $0.key < $1.key }) {
            hash.update(name.utf8)
            hash.update(value)
        }
        return Base64.text(of: hash.digest())
    }

    /// SHA-256 over the hashes of all entities, by name, in base 64.
    package var checksum: String {
        var hash = SHA256()
        for (_, value) in entities.sorted(by: { $0.key < $1.key }) { hash.update(value) }
        return Base64.text(of: hash.digest())
    }
}

extension VersionHashes {
    private static func hashes(of model: ManagedObjectModel, _ rules: Rules) -> [String: [UInt8]] {
        var hashes: [[UInt8]] = []
        for entity in model.entities {  // Super-entities stand before those that inherit.
            let superentity = entity.superentityIndex.map { hashes[$0] }
            hashes.append(hash(of: entity, superentity: superentity, rules))
        }
        return Dictionary(uniqueKeysWithValues: zip(model.entities.map(\.name), hashes))
    }

    /// The hash of an entity whose to-one relationships called `orders` have the mark of an order.
    static func hash(
        of entity: EntityDescription, superentity: [UInt8]?, _ rules: Rules, orders: Set<String> = []
    ) -> [UInt8] {
        var hash = SHA256()
        hash.update(entity.name.utf8)
        hash.update([entity.isAbstract ? 1 : 0])
        if let superentity { hash.update(superentity) }
        for property in entity.properties.sorted(by: { $0.name < $1.name }) where !property.isTransient {
            switch property {
            case .attribute(let attribute): hash.update(self.hash(of: attribute.definition, rules))
            case .relationship(let relationship):
                hash.update(self.hash(of: relationship, isMarked: orders.contains(relationship.name)))
            }
        }
        hash.update((entity.definition.versionHashModifier ?? "").utf8)
        let constraints = entity.definition.uniquenessConstraints.map { $0.joined(separator: ".") }
        for constraint in rules == .current ? constraints.sorted() : constraints {
            hash.update(constraint.utf8)
        }
        return hash.digest()
    }

    private static func hash(of attribute: AttributeDefinition, _ rules: Rules) -> [UInt8] {
        if let expression = attribute.derivationExpression {
            let text =
                switch rules {
                case .current, .declaredConstraints: ArchivedDerivation(expression).text
                case .writtenDerivations: expression
                }
            return SHA256.digest(of: text.utf8)
        }
        var hash = SHA256()
        hash.update(
            prefix(attribute.name, isOptional: attribute.isOptional, modifier: attribute.versionHashModifier))
        hash.update(bytes(attribute.type.rawValue))
        if attribute.allowsExternalStorage { hash.update([1]) }
        if attribute.preservesValueOnDeletion { hash.update([1]) }
        return hash.digest()
    }

    private static func hash(of relationship: RelationshipDescription, isMarked: Bool) -> [UInt8] {
        let definition = relationship.definition
        var hash = SHA256()
        hash.update(
            prefix(
                definition.name, isOptional: definition.isOptional, modifier: definition.versionHashModifier))
        hash.update(definition.destination.utf8)
        if let inverse = definition.inverse, !isOwnInverse(relationship) { hash.update(inverse.utf8) }
        // Models made in code may have a greatest count of -1 for none; it enters as it is.
        hash.update(bytes(UInt32(truncatingIfNeeded: definition.maximumCount)))
        hash.update(bytes(UInt32(truncatingIfNeeded: definition.minimumCount)))
        if definition.isOrdered || isMarked { hash.update([1, 0]) }
        return hash.digest()
    }

    /// Whether both ends are one: it leads to the entity that declares it, and is there its own inverse.
    private static func isOwnInverse(_ relationship: RelationshipDescription) -> Bool {
        relationship.definition.inverse == relationship.name
            && relationship.destinationIndex == relationship.declaringEntityIndex
    }

    /// What all properties begin with; the second byte is a flag that no known model sets, perhaps read-only.
    private static func prefix(_ name: String, isOptional: Bool, modifier: String?) -> [UInt8] {
        SHA256.digest(of: Array(name.utf8) + [isOptional ? 1 : 0, 0] + Array((modifier ?? "").utf8))
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
    }
}
