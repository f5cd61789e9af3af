package import CofferFormats
package import CofferModel
package import FoundationEssentials

/// Where the objects of a store are whose database has only what was asked for.
///
/// Each commit is handed to the source before it is made, so the database has no commit that the source
/// lacks.
package protocol StoreSource: Sendable {
    /// What the type is called in metadata.
    var typeName: String { get }
    /// Where it is, for people.
    var path: String { get }
    /// The store's UUID.
    var uuid: UUID { get }
    /// What the store says of itself when it is opened.
    var metadata: [String: MetadataValue] { get }

    /// Takes over what a commit changes.
    ///
    /// - Throws: Why it does not; then nothing of it was done, and nothing is committed.
    func publish(_ changes: SourceChanges) throws(StoreError)

    /// The database has what was published last, or it has not.
    func didCommit(_ isKept: Bool)
}

/// An object's leaf entity, or an entity that it inherits from if the leaf is not known, and the object's
/// key.
package struct SourceKey: Sendable, Hashable {
    /// The entity's place in the model.
    package var entity: Int
    /// The primary key.
    package var key: Int64

    /// A key in the table of an entity.
    package init(entity: Int, key: Int64) { (self.entity, self.key) = (entity, key) }
}

/// An object between a database and its source.
package struct SourceObject: Sendable {
    /// Which object.
    package var id: SourceKey
    /// Values by the place of their attribute; null ones are left out.
    package var values: [Int: AtomicStoreValue] = [:]
    /// Objects by the place of their relationship: one of a to-one relationship, all of another, in order.
    package var references: [Int: [SourceKey]] = [:]

    /// An object without values.
    package init(id: SourceKey) { self.id = id }
}

/// What a commit changes.
package struct SourceChanges: Sendable {
    /// New objects.
    package var inserted: [SourceObject] = []
    /// Objects as they are now, with the places of the properties that changed.
    package var updated: [(object: SourceObject, properties: Set<Int>)] = []
    /// Objects that are no more.
    package var deleted: [SourceKey] = []
    /// What applications have noted about the store.
    package var metadata: [String: MetadataValue] = [:]
}
