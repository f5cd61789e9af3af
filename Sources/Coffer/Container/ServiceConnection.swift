internal import CofferModel
internal import CofferWire
public import FoundationEssentials

/// A connection to the service for tools: which stores there are, what is in them, what happens to them.
///
/// Shared. Calls block.
///
/// ```swift
/// let connection = try ServiceConnection(application: "org.example.Notes")
/// for store in try connection.stores() { print(store.name, store.byteCount) }
/// let store = try connection.openStore(StoreDescription(name: "Notes", mustExist: true))
/// store.watch { event in print(event) }
/// ```
public final class ServiceConnection: Sendable {
    let client: ChannelClient

    /// A connection that is made when it is first used.
    ///
    /// It means the stores of `application` if no other is named.
    ///
    /// - Throws: `.unavailable` if the system refuses a thread.
    public init(application: String? = nil, bus: ServiceAddress = .standard) throws(CofferError) {
        client = try ClientRegistry.client(address: bus, application: application)
    }

    package init(client: ChannelClient) { self.client = client }
}

extension ServiceConnection {
    /// The service at the other end, and what it takes this process for.
    public struct Status: Sendable, Equatable {
        /// The service's version.
        public let serviceVersion: String
        /// Differs for each start of the service.
        public let service: UUID
        /// The version of the protocol.
        public let protocolVersion: UInt32
        /// This application as the service sees it.
        public let application: String
        /// Names this process for ever.
        public let client: UUID
    }

    /// Asks the service for its versions and for the identity that it sees in this process.
    ///
    /// - Throws: `.unavailable` with what to check if there is no bus or service, `.protocolViolation` if
    ///   the service speaks another version of the protocol.
    public func status() throws(CofferError) -> Status {
        let greeting = try client.greeting()
        return Status(
            serviceVersion: greeting.serviceVersion, service: greeting.service,
            protocolVersion: greeting.protocolVersion, application: greeting.application,
            client: client.identity.client)
    }

    /// One store of a list.
    public struct Listing: Sendable, Equatable {
        /// The application that the store belongs to.
        public let application: String
        /// The model's configuration.
        public let configuration: String
        /// The store's name.
        public let name: String
        /// The path of the store's file, for people.
        public let path: String
        /// Of the file and its companions.
        public let byteCount: UInt64
        /// Whether a client has it open.
        public let isOpen: Bool
        /// How it keeps its objects; `nil` if the service does not say.
        public let type: StoreType?
    }

    /// The user's stores: this application's, or those of all.
    ///
    /// - Throws: `.unavailable` with what to check if there is no bus or service, `.refused` if this
    ///   process may not see all applications.
    public func stores(ofAllApplications all: Bool = false) throws(CofferError) -> [Listing] {
        let reply = try client.call(
            .listStores, ListStoresRequestMessage(allApplications: all), reply: ListStoresReplyMessage.self)
        return reply.stores.map {
            Listing(
                application: $0.name.application, configuration: $0.name.configuration, name: $0.name.name,
                path: $0.path, byteCount: $0.byteCount, isOpen: $0.isOpen, type: $0.type)
        }
    }

    /// Opens a store with the model that it keeps.
    ///
    /// - Throws: `.refused` if it does not exist and `description` does not allow that one is made.
    public func openStore(
        _ description: StoreDescription, application: String? = nil
    ) throws(CofferError) -> OpenedStore {
        let request = try description.request(application: application ?? "")
        // Opened twice: the first time tells the model, without which no coordinator can be made.
        let (first, opened) = try client.openStore(request, model: nil) { _ in }
        defer { client.closeStore(first) }
        guard let model = opened.model else {
            throw .protocolViolation("The service opened '\(description.name)' and did not tell its model.")
        }
        let coordinator = try RemoteCoordinator(model: model, client: client, modelID: opened.modelID)
        let store = try coordinator.addStore(request)
        return OpenedStore(coordinator: coordinator, description: store, opened: opened)
    }
}
