internal import CofferModel
internal import CofferWire

/// A store between the stages of a model, with what applications do there.
///
/// What is to be done after a stage is noted in the store before it, so that the store itself knows that it
/// was not done yet.
package struct StagedStore {
    /// Opens the store: for writing with a version of the model, or for reading with the one that it has.
    package typealias Opener = (ManagedObjectModel?) throws(CofferError) -> PersistentContainer

    private let name: String
    private let open: Opener

    /// The key under which a store notes the version whose work is to be done in it.
    package static let note = "CofferStageUnderWay"

    /// The store that containers of `open` call `name`.
    package init(_ name: String, open: @escaping Opener) { (self.name, self.open) = (name, open) }

    /// Takes the store from the version at `origin` over all behind it, and does the work between.
    ///
    /// - Parameters:
    ///   - origin: The place of the version that it has.
    ///   - stages: All versions, the oldest first.
    ///   - migrate: Takes it to a version.
    /// - Returns: What `migrate` gave for each version.
    /// - Throws: What `migrate` throws; `.refused` with the reason `stage` for what the work of a stage
    ///   throws.
    package func run<Outcome>(
        from origin: Int, through stages: [MigrationStage],
        _ migrate: (MigrationStage) throws(CofferError) -> Outcome
    ) throws(CofferError) -> [Outcome] {
        try finish(stages[origin])
        var outcomes: [Outcome] = []
        for (former, stage) in zip(stages[origin...], stages[(origin + 1)...]) {
            try prepare(stage, of: former)
            outcomes.append(try migrate(stage))
            if stage.didMigrate != nil { try finish(stage) }
        }
        return outcomes
    }

    /// Does what is to be done in a store of the version `former` before `stage`.
    private func prepare(_ stage: MigrationStage, of former: MigrationStage) throws(CofferError) {
        if stage.willMigrate == nil, stage.didMigrate == nil { return }
        let container = try open(former.model)
        if let work = stage.willMigrate { try run(work, named: "before '\(stage.name)'", in: container) }
        guard stage.didMigrate != nil else { return }
        try container.metadata(ofStore: name, setting: [Self.note: .string(stage.name)])
    }

    /// Does the work after `stage` in a store that has its version, if it is not done.
    ///
    /// A note of another stage is removed: the note of that stage is written again before it is migrated to,
    /// or there is no work for it any more.
    private func finish(_ stage: MigrationStage) throws(CofferError) {
        guard let note = try open(nil).metadata(ofStore: name).values[Self.note] else { return }
        let container = try open(stage.model)
        if let work = stage.didMigrate, note == .string(stage.name) {
            try run(work, named: "after '\(stage.name)'", in: container)
        }
        try container.metadata(ofStore: name, setting: [Self.note: nil])
    }

    private func run(
        _ work: MigrationStage.Work, named label: String, in container: PersistentContainer
    ) throws(CofferError) {
        do {
            try work(container)
        } catch let error as CofferError {
            throw error
        } catch {
            throw .refused(
                code: StatusCode.aborted.name, reason: "stage",
                text: "What is done \(label) ended the migration: \(error)", place: name)
        }
    }
}
