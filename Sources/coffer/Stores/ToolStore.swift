import Coffer
import CofferEmbedded
import CofferFormats
import CofferModel

/// A store that is open, behind the service or in this process, with a context over it.
///
/// Confined.
final class ToolStore {
    let coordinator: any PersistentStoreCoordinator
    let description: CoordinatedStoreDescription
    let context: ManagedObjectContext

    var model: ManagedObjectModel { coordinator.model }

    init(_ coordinator: any PersistentStoreCoordinator, author: String = "") throws {
        self.coordinator = coordinator
        guard let description = coordinator.stores.first else {
            throw ToolError(.software, "No store was opened.")
        }
        self.description = description
        context = ManagedObjectContext(coordinator: coordinator, name: "coffer", author: author)
    }

    /// An entity by name.
    func entity(_ name: String) throws -> EntityDescription {
        if let entity = model.entity(named: name) { return entity }
        let names = model.entities.map(\.name).joined(separator: ", ")
        throw ToolError(.data, "The model has no entity '\(name)'; it has \(names).")
    }

    /// What `--where` says of objects of an entity; if it does not fit them, the error shows the place.
    func predicate(_ format: String, of entity: EntityDescription) throws -> QueryPredicate {
        do throws(QueryError) {
            return try QueryPredicate(format: format, for: entity, in: model)
        } catch .argument(let place, _) {
            throw ToolError(
                .data,
                "Placeholders such as %d and %@ stand for arguments of a program: write the value itself.\n\(place)"
            )
        }
    }

    /// The id that `Country/p12` names; `nil` if the text is not of that form.
    func objectID(_ text: String, of entity: EntityDescription) throws(ToolError) -> ManagedObjectID? {
        guard let match = text.wholeMatch(of: /(\w+)\/p(\d+)/), let key = Int64(match.2) else { return nil }
        guard let own = model.entity(named: String(match.1)), own.isKind(of: entity) else {
            throw ToolError(.data, "'\(text)' is not an object of '\(entity.name)'.")
        }
        return ManagedObjectID(entity: own, storeUUID: description.uuid, key: .permanent(key))
    }

    /// Saves the context; says the number of the transaction, `nil` if nothing was to be saved.
    func save() throws -> UInt64? {
        var number: UInt64?
        let token = context.onNotification { notification in
            if case .didSave(_, _, _, let saved, _) = notification { number = saved }
        }
        try context.save()
        token.cancel()
        return number
    }
}
