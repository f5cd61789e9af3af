import Coffer
import CofferModel
import CofferEmbedded
import CofferFormats
import CofferWire

/// A store that is open, behind the service or in this process, with a context over it.
///
/// Confined.
final class OpenedStore {
    let coordinator: any StoreCoordinator
    let description: CoordinatedStoreDescription
    let context: ManagedObjectContext

    var model: ManagedObjectModel { coordinator.model }

    init(_ coordinator: any StoreCoordinator, author: String = "") throws {
        self.coordinator = coordinator
        guard let description = coordinator.stores.first else { throw ToolError(.software, "No store was opened.") }
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
    ///
    /// - Parameter watch: Whether every change of others is told.
    func open(_ store: String, watch: Bool = false, author: String = "") throws -> OpenedStore {
        if embedded { return try OpenedStore(try openFile(store, mustExist: true), author: author) }
        let link = try service.connect()
        let kept = try keptModel(of: store, over: link)
        return try OpenedStore(try openRemote(store, kept, over: link, watch: watch), author: author)
    }

    /// Makes a store, or opens one that has the same model.
    func add(_ store: String, model: ManagedObjectModel) throws -> OpenedStore {
        if embedded { return try OpenedStore(try openFile(store, model: model, mustExist: false)) }
        let request = OpenStoreRequestMessage(name: name(store), modelID: [])
        let coordinator = try RemoteCoordinator(model: model, client: try service.connect().client)
        try coordinator.addStore(request)
        return try OpenedStore(coordinator)
    }

    private func openFile(
        _ path: String, model: ManagedObjectModel? = nil, mustExist: Bool
    ) throws -> EmbeddedCoordinator {
        let own = try self.model.map { try ModelFile.read(path: $0) }
        return try EmbeddedCoordinator.open(
            path: path, model: model ?? own, configuration: configuration, mustExist: mustExist,
            application: ServiceOptions.ownApplication, processName: "coffer")
    }

    private func openRemote(
        _ store: String, _ model: ManagedObjectModel, over link: ServiceLink, watch: Bool
    ) throws -> RemoteCoordinator {
        let coordinator = try RemoteCoordinator(model: model, client: link.client)
        try coordinator.addStore(
            OpenStoreRequestMessage(name: name(store), modelID: [], mustExist: true, watch: watch))
        return coordinator
    }

    /// The model that the store keeps.
    private func keptModel(of store: String, over link: ServiceLink) throws -> ManagedObjectModel {
        let request = OpenStoreRequestMessage(name: name(store), modelID: [], mustExist: true)
        switch try link.call(.openStore, request, as: OpenStoreReplyMessage.self) {
        case .opened(let opened):
            guard let model = opened.model else {
                throw ToolError(.protocolViolation, "The service opened '\(store)' without saying its model.")
            }
            _ = try link.call(.closeStore, CloseStoreRequestMessage(store: opened.store), as: EmptyMessage.self)
            return model
        case .needModel: throw ToolError(.data, "The store '\(store)' keeps no model.")
        case .incompatible(let differing, let missing, let unknown):
            throw CofferError.incompatibleModel(differing: differing, missing: missing, unknown: unknown)
        }
    }
}
