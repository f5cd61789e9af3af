import Coffer
import CofferEmbedded
import CofferFormats
import CofferModel

/// A store that is open, behind the service or in this process, with a context over it.
///
/// Confined.
final class ToolStore {
    let coordinator: any StoreCoordinator
    let description: CoordinatedStoreDescription
    let context: ManagedObjectContext

    var model: ManagedObjectModel { coordinator.model }

    init(_ coordinator: any StoreCoordinator, author: String = "") throws {
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

    /// Saves the context; says the number of the transaction, `nil` where nothing was to be saved.
    func save() throws -> UInt64? {
        var number: UInt64?
        let token = context.onNotification { notification in
            if case .didSave(_, _, _, let saved) = notification { number = saved }
        }
        try context.save()
        token.cancel()
        return number
    }
}

extension StoreOptions {
    /// Opens a store that exists.
    func open(_ store: String, author: String = "") throws -> ToolStore {
        if embedded { return try ToolStore(try openFile(store, mustExist: true), author: author) }
        return try ToolStore(try openServed(store).coordinator, author: author)
    }

    /// Opens a store of the service that exists.
    func openServed(_ store: String) throws -> OpenedStore {
        try service.connect().openStore(
            StoreDescription(name: store, configuration: configuration, mustExist: true),
            application: service.application)
    }

    /// Opens a store file, with `model` where it is to be made.
    func openFile(_ path: String, model: ManagedObjectModel? = nil, mustExist: Bool) throws
        -> EmbeddedCoordinator
    {
        let own = try self.model.map { try ModelFile.read(path: $0) }
        return try EmbeddedCoordinator.open(
            path: path, model: model ?? own, configuration: configuration, mustExist: mustExist,
            application: ServiceOptions.ownApplication)
    }

    /// Makes a store, or opens one that has the same model.
    func add(_ store: String, model: ManagedObjectModel) throws -> ToolStore {
        if embedded { return try ToolStore(try openFile(store, model: model, mustExist: false)) }
        let container = try PersistentContainer(
            name: store, model: model, application: service.application,
            stores: [StoreDescription(name: store, configuration: configuration)], bus: service.address)
        try container.loadStores()
        return try ToolStore(container.coordinator)
    }
}
