import Coffer
import CofferModel
import CofferWire

/// A store between the stages of a model, with what applications do there.
///
/// What is to be done after a stage is noted in the store before it, so that the store itself knows that it
/// was not done yet.
struct StagedStore {
    let path: String
    let configuration: String
    let adopts: Bool

    /// The key under which a store notes the version whose work is to be done in it.
    private static let note = "CofferStageUnderWay"

    /// Does what is to be done in a store of the version `former` before `stage`.
    func prepare(_ stage: MigrationStage, of former: MigrationStage) throws(CofferError) {
        if stage.willMigrate == nil, stage.didMigrate == nil { return }
        let container = try open(former.model)
        if let work = stage.willMigrate { try run(work, named: "before '\(stage.name)'", in: container) }
        guard stage.didMigrate != nil else { return }
        try container.metadata(ofStore: path, setting: [Self.note: .string(stage.name)])
    }

    /// Does what is to be done in a store that has the version of `stage`, where it is not done.
    func finish(_ stage: MigrationStage) throws(CofferError) {
        guard let work = stage.didMigrate, try isNoted(stage) else { return }
        let container = try open(stage.model)
        try run(work, named: "after '\(stage.name)'", in: container)
        try container.metadata(ofStore: path, setting: [Self.note: nil])
    }

    private func isNoted(_ stage: MigrationStage) throws(CofferError) -> Bool {
        let coordinator = try EmbeddedCoordinator.open(
            path: path, model: nil, configuration: configuration, mustExist: true, isReadOnly: true,
            onlyReads: true, application: "")
        let metadata = try container(over: coordinator).metadata(ofStore: path)
        return metadata.values[Self.note] == .string(stage.name)
    }

    private func open(_ model: ManagedObjectModel) throws(CofferError) -> PersistentContainer {
        try container(
            over: EmbeddedCoordinator.open(
                path: path, model: model, configuration: configuration, mustExist: true, adopts: adopts,
                application: ""))
    }

    private func container(over coordinator: EmbeddedCoordinator) -> PersistentContainer {
        PersistentContainer(
            name: path, coordinator: coordinator, stores: [StoreDescription(name: path)],
            openStore: { _ in })
    }

    private func run(
        _ work: MigrationStage.Work, named name: String, in container: PersistentContainer
    ) throws(CofferError) {
        do {
            try work(container)
        } catch let error as CofferError {
            throw error
        } catch {
            throw .refused(
                code: StatusCode.aborted.name, reason: "stage",
                text: "What is done \(name) ended the migration: \(error)",
                place: path)
        }
    }
}
