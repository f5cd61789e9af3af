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

    /// What `--where` says of objects of an entity; where it does not fit them, the error shows the place.
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

    /// The id that `Country/p12` names; `nil` where the text is not of that form.
    func objectID(_ text: String, of entity: EntityDescription) throws(ToolError) -> ManagedObjectID? {
        guard let match = text.wholeMatch(of: /(\w+)\/p(\d+)/), let key = Int64(match.2) else { return nil }
        guard let own = model.entity(named: String(match.1)), own.isKind(of: entity) else {
            throw ToolError(.data, "'\(text)' is not an object of '\(entity.name)'.")
        }
        return ManagedObjectID(entity: own, storeUUID: description.uuid, key: .permanent(key))
    }

    /// Saves the context; says the number of the transaction, `nil` where nothing was to be saved.
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

extension StoreOptions {
    /// Opens a store that exists.
    func open(_ store: String, author: String = "", readOnly: Bool = false) throws -> ToolStore {
        if embedded {
            let coordinator = try openFile(store, mustExist: true, readOnly: readOnly)
            return try ToolStore(coordinator, author: author)
        }
        return try ToolStore(try openServed(store, readOnly: readOnly).coordinator, author: author)
    }

    /// Opens a store of the service that exists.
    func openServed(_ store: String, readOnly: Bool = false) throws -> OpenedStore {
        let description = StoreDescription(
            name: store, configuration: configuration, isReadOnly: readOnly, mustExist: true)
        return try service.finding(store, configuration: configuration) { service in
            try service.openStore(description, application: self.service.application)
        }
    }

    /// Opens a store file, with `model` where it is to be made.
    func openFile(
        _ path: String, model: ManagedObjectModel? = nil, mustExist: Bool, readOnly: Bool = false
    ) throws -> EmbeddedCoordinator {
        let own = try self.model.map { try ModelOptions.lenient.read($0) }
        do {
            return try EmbeddedCoordinator.open(
                path: path, model: model ?? own, configuration: configuration, mustExist: mustExist,
                isReadOnly: readOnly, application: ServiceOptions.ownApplication)
        } catch {
            guard case .refused(_, let reason, _, _) = error, let hint = Self.hint(reason) else {
                throw error
            }
            throw ToolError(error).adding(hint)
        }
    }

    /// What to do where a file cannot be opened for a reason.
    private static func hint(_ reason: String) -> String? {
        switch reason {
        case "read_only": "Commands that only read take it with --read-only."
        case "locked":
            "If that is the service, leave --embedded out and name the store as 'coffer store list --all' does."
        default: nil
        }
    }

    /// Makes a store, or opens one that has the same model.
    func add(_ store: String, model: ManagedObjectModel) throws -> ToolStore {
        if embedded { return try ToolStore(try openFile(store, model: model, mustExist: false)) }
        let container = try PersistentContainer(
            name: store, model: model, application: service.application,
            stores: [StoreDescription(name: store, configuration: configuration)], bus: service.bus.address)
        try container.loadStores()
        return try ToolStore(container.coordinator)
    }
}
