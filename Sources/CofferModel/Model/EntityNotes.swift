/// Notes of entities, in their `userInfo`, that change how their objects are kept.
package enum EntityNote: String, Sendable {
    /// Names to-one relationships that may not lead round in a circle, with spaces between.
    case acyclic = "coffer.acyclic"
    /// `YES` if an edit of an attribute brings back what was deleted before.
    case editsRevive = "coffer.editsRevive"
}

extension ManagedObjectModel {
    /// The words of a note, of an entity and of all that it inherits from.
    package func words(of note: EntityNote, _ entity: EntityDescription) -> Set<String> {
        var words: Set<String> = []
        var next: EntityDescription? = entity
        while let entity = next {
            words.formUnion(
                (entity.definition.userInfo[note.rawValue] ?? "").split(separator: " ").map(String.init))
            next = entity.superentityIndex.map { entities[$0] }
        }
        return words
    }
}
