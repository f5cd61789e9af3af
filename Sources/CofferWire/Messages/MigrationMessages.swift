package import CofferModel

/// `coffer.v1.MigrateStoreRequest`: takes a store to another model, or looks what that would do.
package struct MigrateStoreRequestMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// SHA-256 of the packed model that it gets.
    package var modelID: [UInt8]
    /// Whether nothing is changed.
    package var isDryRun: Bool
    /// Whether a copy is kept beside the store where something is lost.
    package var keepsBackup: Bool
    /// Whether a file that Coffer did not make may be written.
    package var adopts: Bool
    /// How long the answers of those who have it open are waited for; 0 for what the service thinks right.
    package var waitMilliseconds: UInt32
    /// How; `nil`: as the two models tell, in one step.
    package var route: MigrationRouteMessage?
    /// What the caller does itself; `nil` where that is nothing.
    package var work: MigrationWorkMessage?

    /// A request from its fields; a field that is left out has its default.
    package init(
        name: StoreNameMessage, modelID: [UInt8], isDryRun: Bool = false, keepsBackup: Bool = true,
        adopts: Bool = false, waitMilliseconds: UInt32 = 0, route: MigrationRouteMessage? = nil,
        work: MigrationWorkMessage? = nil
    ) {
        (self.route, self.work) = (route, work)
        self.name = name
        self.modelID = modelID
        self.isDryRun = isDryRun
        self.keepsBackup = keepsBackup
        self.adopts = adopts
        self.waitMilliseconds = waitMilliseconds
    }
}

/// `coffer.v1.MigrateStoreReply`: how far a migration is; the last one says what was done.
package struct MigrateStoreReplyMessage: Sendable, Equatable {
    /// What is done, before the answer.
    package var step: MigrationProgress?
    /// Whether the service does not know the model.
    package var needsModel: Bool
    /// What became of the objects, or would.
    package var plan: MigrationPlan?
    /// The transaction in the store's history; 0 where nothing was done.
    package var number: UInt64
    /// Where the copy of before is; empty where none was kept.
    package var backup: String
    /// The version that the store had, where it goes through stages; else empty.
    package var origin: String
    /// What was done for each stage; of a dry run only what would be done next.
    package var stages: [MigratedStageMessage]
    /// The stages behind, of a dry run.
    package var later: [String]

    /// A reply from its fields; a field that is left out has its default.
    package init(
        step: MigrationProgress? = nil, needsModel: Bool = false, plan: MigrationPlan? = nil,
        number: UInt64 = 0, backup: String = "", origin: String = "", stages: [MigratedStageMessage] = [],
        later: [String] = []
    ) {
        (self.origin, self.stages, self.later) = (origin, stages, later)
        self.step = step
        self.needsModel = needsModel
        self.plan = plan
        self.number = number
        self.backup = backup
    }
}
