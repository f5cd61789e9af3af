package import CofferModel
package import FoundationEssentials

/// `coffer.v1.MigrationWork`: what a client does itself in a migration.
package struct MigrationWorkMessage: Sendable, Equatable {
    /// What the client calls it.
    package var id: UUID
    /// Names of entity mappings, or of their classes.
    package var policies: [String]
    /// How long it may take for each answer; 0 for what the service thinks right.
    package var answerMilliseconds: UInt32

    /// Work from its fields; a field that is left out has its default.
    package init(id: UUID, policies: [String], answerMilliseconds: UInt32 = 0) {
        (self.id, self.policies, self.answerMilliseconds) = (id, policies, answerMilliseconds)
    }
}

/// `coffer.v1.MigrateObjectsRequest`: asks for the next objects of a new store.
package struct MigrateObjectsRequestMessage: Sendable, Equatable {
    /// The client's name for its work.
    package var work: UUID
    /// The migration; a new one begins anew, with new stores.
    package var migration: UUID
    /// The model of before; `nil` where the client goes on.
    package var source: ManagedObjectModel?

    /// A request from its fields.
    package init(work: UUID, migration: UUID, source: ManagedObjectModel?) {
        (self.work, self.migration, self.source) = (work, migration, source)
    }
}

/// `coffer.v1.MigrateObjectsReply`: some objects are done.
package struct MigrateObjectsReplyMessage: Sendable, Equatable {
    /// Whether all are, and both stores are closed.
    package var isDone: Bool

    /// A reply from its field.
    package init(isDone: Bool) { self.isDone = isDone }
}
