package import CofferModel

/// The version hashes of a model's entities, by which Core Data tells whether a store fits a model.
///
/// They cover what a store depends on, and leave out defaults, delete rules, validation, classes, indexes and
/// user info.
///
/// Source: measured; reproduces the hashes of real stores of Core Data 640 to 1513. Read-only properties and
/// composite attributes were not among them.
package struct VersionHashes: Sendable, Hashable {
    /// The hash of each entity, 32 bytes.
    package let entities: [String: [UInt8]]

    /// How the expression of a derived attribute enters its hash.
    package enum DerivationText: Sendable {
        /// As Core Data archives it, however it is written.
        case archived
        /// As the model has it, which is how stores of Coffer's had it once.
        case written
    }

    /// The hashes of all entities of `model`.
    package init(of model: ManagedObjectModel) {
        entities = Self.hashes(of: model, .archived)
    }

    /// The hashes of the entities of one configuration, or `nil` where `model` has none of that name.
    ///
    /// An entity's hash is the same in each configuration.
    package init?(
        of model: ManagedObjectModel, configuration: String, derivations: DerivationText = .archived
    ) {
        guard let members = model.entities(in: configuration) else { return nil }
        let names = Set(members.map(\.name))
        entities = Self.hashes(of: model, derivations).filter { names.contains($0.key) }
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
    private static func hashes(
        of model: ManagedObjectModel, _ derivations: DerivationText
    ) -> [String: [UInt8]] {
        var hashes: [[UInt8]] = []
        for entity in model.entities {  // Super-entities stand before those that inherit.
            let superentity = entity.superentityIndex.map { hashes[$0] }
            hashes.append(hash(of: entity, superentity: superentity, derivations))
        }
        return Dictionary(uniqueKeysWithValues: zip(model.entities.map(\.name), hashes))
    }

    private static func hash(
        of entity: EntityDescription, superentity: [UInt8]?, _ derivations: DerivationText
    ) -> [UInt8] {
        var hash = SHA256()
        hash.update(entity.name.utf8)
        hash.update([entity.isAbstract ? 1 : 0])
        if let superentity { hash.update(superentity) }
        for property in entity.properties.sorted(by: { $0.name < $1.name }) where !property.isTransient {
            switch property {
            case .attribute(let attribute): hash.update(self.hash(of: attribute.definition, derivations))
            case .relationship(let relationship): hash.update(self.hash(of: relationship))
            }
        }
        hash.update((entity.definition.versionHashModifier ?? "").utf8)
        for constraint in entity.definition.uniquenessConstraints {
            hash.update(constraint.joined(separator: ".").utf8)
        }
        return hash.digest()
    }

    private static func hash(of attribute: AttributeDefinition, _ derivations: DerivationText) -> [UInt8] {
        if let expression = attribute.derivationExpression {
            let text =
                switch derivations {
                case .archived: ArchivedDerivation(expression).text
                case .written: expression
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

    private static func hash(of relationship: RelationshipDescription) -> [UInt8] {
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
        if definition.isOrdered { hash.update([1, 0]) }
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
