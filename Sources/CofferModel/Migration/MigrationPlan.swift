/// What a migration does to the objects of a store, found without a change.
package struct MigrationPlan: Sendable, Equatable, Codable {
    /// What becomes of one entity.
    package struct Entity: Sendable, Equatable, Codable {
        /// What it is called from now on; what it was called if it is removed.
        package var name: String
        /// What it was called, if it had another name.
        package var formerName: String?
        /// What becomes of it.
        package var change: Change
        /// Its objects, those of entities that inherit from it not counted.
        package var objectCount: Int
        /// Its properties of which anything changes.
        package var properties: [Property]

        /// An entity of which nothing else changes.
        package init(
            name: String, formerName: String? = nil, change: Change, objectCount: Int,
            properties: [Property] = []
        ) {
            self.name = name
            self.formerName = formerName
            self.change = change
            self.objectCount = objectCount
            self.properties = properties
        }
    }

    /// What becomes of an entity or a property.
    package enum Change: String, Sendable, Codable {
        /// It is new.
        case added
        /// It goes, with what is in it.
        case removed
        /// It stays, be it under another name.
        case kept
        /// Its values become those of another type or form.
        case converted
    }

    /// What becomes of one property of the objects of one entity.
    package struct Property: Sendable, Equatable, Codable {
        /// What it is called from now on; what it was called if it is removed.
        package var name: String
        /// What it was called, if it had another name.
        package var formerName: String?
        /// What becomes of it.
        package var change: Change
        /// From what to what, for people; empty if nothing is to be said.
        package var detail: String
        /// Objects whose value or references change.
        package var changedCount = 0
        /// Objects that get the default.
        package var defaultedCount = 0
        /// Values or references that are lost.
        package var droppedCount = 0
        /// The first values that change or are lost.
        package var examples: [MigrationObstacle.Example] = []

        /// A property of whose values nothing changes.
        package init(name: String, formerName: String? = nil, change: Change, detail: String) {
            self.name = name
            self.formerName = formerName
            self.change = change
            self.detail = detail
        }
    }

    /// Whether the store has just this model already.
    package var isIdle = false
    /// Whether the store was taken on from this model once, so that this is the way back.
    package var isReturn = false
    /// What becomes of the entities, those of the new model first.
    package var entities: [Entity] = []
    /// All that is in the way.
    package var obstacles: [MigrationObstacle] = []
    /// The tables whose rows are copied.
    package var copiedTables: [String] = []
    /// Bytes that it takes on the disk at most while it runs, beside what is there: the log, what the file
    /// grows by, new files of values, and the copy of the store as it was, if anything is lost.
    package var byteCount = 0

    /// About how many seconds it takes, judged by the time that some of the rows that change took; 0 if no
    /// row changes.
    ///
    /// It may be half of that, or twice.
    package var seconds = 0.0

    /// A plan that changes nothing.
    package init() {}

    /// Whether objects, values or references are lost.
    package var dropsData: Bool {
        entities.contains { entity in
            entity.change == .removed && entity.objectCount > 0
                || entity.properties.contains { $0.droppedCount > 0 }
        }
    }

    /// Objects that are lost.
    package var droppedObjectCount: Int {
        entities.filter { $0.change == .removed }.reduce(0) { $0 + $1.objectCount }
    }
}

/// How far a migration has come.
public enum MigrationProgress: String, Sendable, CaseIterable {
    /// What is in the way is looked for.
    case checking
    /// Tables and their rows change.
    case rows
    /// Indexes are made.
    case indexes
    /// History and the model follow.
    case history
}
