internal import CofferLinux
internal import CofferModel
internal import CofferWire
internal import FoundationEssentials

/// Makes the objects of a store that the service migrates, whenever it asks for some: by the mapping model
/// and the policies of this process.
///
/// Confined to the thread that has asked for the migration; used once. Between two questions of the service
/// the policies stand still, so that the service sees how far they are, and that they go on.
final class MigrationAnswerer {
    private let client: ChannelClient
    private let store: StoreNameMessage
    private let model: ManagedObjectModel
    private let mapping: MappingModel
    private let policies: [String: () -> any EntityMigrationPolicy]
    private let dialogue: MigrationDialogue
    private let progress: (MigrationProgress) -> Void
    /// What is to be answered.
    private var question: MigrationQuestion?
    /// Why this process ended it.
    private var failure: CofferError?

    init(
        _ dialogue: MigrationDialogue, over client: ChannelClient, store: StoreNameMessage,
        model: ManagedObjectModel, mapping: MappingModel,
        policies: [String: () -> any EntityMigrationPolicy], progress: @escaping (MigrationProgress) -> Void
    ) {
        (self.dialogue, self.client, self.store) = (dialogue, client, store)
        (self.model, self.mapping, self.policies) = (model, mapping, policies)
        self.progress = progress
    }

    /// Answers the service until the migration is over; gives what became of it.
    ///
    /// - Throws: What the policies throw, and what the service says.
    func run() throws(CofferError) -> ServiceConnection.Migration {
        while true {
            switch dialogue.next() {
            case .step(let step): progress(step)
            case .asked(let question): answer(question)
            case .ended(.success(let migration)): return migration
            // What this process knows of its own error is more than what went to the service and back.
            case .ended(.failure(let error)): throw failure ?? error
            }
        }
    }

    private func answer(_ first: MigrationQuestion) {
        (question, failure) = (first, nil)
        do throws(CofferError) {
            guard let source = first.request.source else {
                throw .protocolViolation("The service goes on with a migration that has not begun.")
            }
            try makeObjects(of: source, for: first.request.migration)
            question?.answer(isDone: true)
        } catch {
            // If the service has ended the migration, there is no question to answer.
            if let question {
                failure = error
                question.refuse(error)
            }
        }
        question = nil
    }

    private func makeObjects(of source: ManagedObjectModel, for migration: UUID) throws(CofferError) {
        let from = try open(source, isReadOnly: true, migration)
        let to = try open(model, isReadOnly: false, migration)
        let compiled = try CompiledMapping.all(of: mapping, from: source, to: model)
        let manager = try MigrationManager(
            mapping, compiled: compiled,
            policies: compiled.map { $0.mapping.policyFactory(among: policies)?() ?? MappedPolicy() },
            from: from, to: to, keeping: MigrationPairsInMemory())
        defer { manager.dismissPolicies() }
        try MappedMigrationRun(manager) { [self] _ in goOn(migration) }.run()
    }

    private func open(
        _ model: ManagedObjectModel, isReadOnly: Bool, _ migration: UUID
    ) throws(CofferError) -> RemoteCoordinator {
        let coordinator = try RemoteCoordinator(model: model, client: client)
        try coordinator.addStore(
            OpenStoreRequestMessage(
                name: store, modelID: [], mustExist: true, isReadOnly: isReadOnly, migration: migration))
        return coordinator
    }

    /// Tells the service that some objects are done, and waits until it asks for more; `false` if it does
    /// not.
    private func goOn(_ migration: UUID) -> Bool {
        question?.answer(isDone: false)
        question = nil
        while true {
            let event = dialogue.next()
            switch event {
            case .step(let step): progress(step)
            case .asked(let next) where next.request.migration == migration && next.request.source == nil:
                question = next
                return true
            case .asked, .ended:
                dialogue.putBack(event)
                return false
            }
        }
    }
}
