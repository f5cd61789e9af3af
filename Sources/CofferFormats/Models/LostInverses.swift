import CofferModel

/// Inverses that do not lead back, as Xcode's compiler lets them pass with a warning.
struct LostInverses {
    /// A relationship whose inverse was left out.
    struct Relationship {
        var entity: String
        var name: String
        var inverse: String

        /// What is told of it.
        var notice: String {
            "its inverse '\(inverse)' does not lead back to it, so that it is read as a relationship without inverse"
        }
    }

    /// Leaves out such inverses; all other relationships stay as they are.
    ///
    /// - Returns: The relationships that lost their inverse, in the order of the file.
    static func leaveOut(from entities: inout [EntityDefinition]) -> [Relationship] {
        var lost: [Relationship] = []
        var count: Int
        repeat {
            count = lost.count
            let search = LostInverses(entities)
            for place in entities.indices {
                for index in entities[place].relationships.indices {
                    let relationship = entities[place].relationships[index]
                    guard let inverse = relationship.inverse,
                        !search.leadsBack(relationship, inverse, of: entities[place].name)
                    else { continue }
                    entities[place].relationships[index].inverse = nil
                    lost.append(
                        Relationship(
                            entity: entities[place].name, name: relationship.name, inverse: inverse))
                }
            }
        } while lost.count > count  // The other end of one that is left out leads back no more.
        return lost
    }

    private let parents: [String: String]
    private let relationships: [String: [String: RelationshipDefinition]]

    private init(_ entities: [EntityDefinition]) {
        var parents: [String: String] = [:]
        var relationships: [String: [String: RelationshipDefinition]] = [:]
        for entity in entities where relationships[entity.name] == nil {
            parents[entity.name] = entity.superentity
            relationships[entity.name] = Dictionary(
                entity.relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
        (self.parents, self.relationships) = (parents, relationships)
    }

    private func leadsBack(
        _ relationship: RelationshipDefinition, _ inverse: String, of entity: String
    ) -> Bool {
        // An end that does not exist is an error of its own.
        if relationships[relationship.destination] == nil { return true }
        let found = line(of: relationship.destination).lazy.compactMap { relationships[$0]?[inverse] }.first
        guard let back = found, back.inverse == relationship.name else { return false }
        return line(of: back.destination).last == line(of: entity).last
    }

    /// An entity and all that it inherits from.
    ///
    /// Longer lines, as those in a circle, are refused when the entities are joined.
    private func line(of entity: String) -> [String] {
        var line = [entity]
        while let parent = parents[line[line.count - 1]], line.count <= CofferModel.Limits.inheritance {
            line.append(parent)
        }
        return line
    }
}
