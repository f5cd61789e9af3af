package import CofferModel
package import FoundationEssentials

/// What a file proves to be when it is looked at, and nothing of it or beside it changes.
///
/// As much as can be found out: if something cannot be read, `health.problems` says so and the rest is told
/// all the same.
package struct StoreInspection: Sendable {
    /// Why a store is not written whose model is guessed.
    static let guessedText = "its model is only guessed from what it has: name it"

    /// The kind of store, as `SQLite` or `XML`.
    package var storeType: String
    /// Its UUID, if it says one.
    package var uuid: UUID?
    /// The version of Core Data that wrote it last.
    package var frameworkVersion: Int64?
    /// Names of its model's version, for people.
    package var versionIdentifiers: [String] = []
    /// Whether Coffer has written into it before.
    package var isOwn = false
    /// Where `model` is from.
    package var modelSource = ModelSource.none
    /// Its model, if one is known.
    package var model: ManagedObjectModel?
    /// Its entities, in the order of their names.
    package var entities: [Entity] = []
    /// Its history; `nil` if it keeps none.
    package var history: History?
    /// How large it is.
    package var sizes = Sizes()
    /// Whether anything is wrong with it.
    package var health = Health()

    init(storeType: String) { self.storeType = storeType }
}

extension StoreInspection {
    /// Where a model is from.
    package enum ModelSource: String, Sendable {
        /// Coffer keeps it in the store.
        case store
        /// Core Data keeps it in the store: `Z_MODELCACHE`.
        case cache
        /// The caller named it.
        case given
        /// The model is unknown; this one is what the tables tell.
        case guessed
        /// None is known.
        case none
    }

    /// One entity and the objects that are of it and of none that inherits from it.
    package struct Entity: Sendable, Equatable {
        /// Its name.
        package let name: String
        /// The entity that it inherits from.
        package let parent: String?
        /// Whether it has no objects of its own by its model.
        package let isAbstract: Bool
        /// How many objects there are; `nil` if they cannot be counted.
        package let rows: Int?
        /// Its attributes, inherited ones included.
        package let attributes: [Attribute]
        /// Its relationships, inherited ones included.
        package let relationships: [Relationship]
    }

    /// One attribute.
    package struct Attribute: Sendable, Equatable {
        /// Its name.
        package let name: String
        /// Its type, as models write it.
        package let type: String
        /// Whether it may be null.
        package let isOptional: Bool
    }

    /// One relationship.
    package struct Relationship: Sendable, Equatable {
        /// Its name.
        package let name: String
        /// The entity that it leads to.
        package let destination: String
        /// The relationship that leads back.
        package let inverse: String?
        /// Whether it leads to any number of objects.
        package let isToMany: Bool
        /// Whether these have an order.
        package let isOrdered: Bool
    }

    /// What its history holds.
    package struct History: Sendable, Equatable {
        /// How many transactions.
        package var transactions = 0
        /// How many changes of objects.
        package var changes = 0
        /// The number of the last transaction.
        package var lastNumber: UInt64 = 0
        /// When the first was, in seconds since 2001-01-01 00:00 UTC.
        package var first: Double?
        /// When the last was, in seconds since 2001-01-01 00:00 UTC.
        package var last: Double?
    }

    /// How large it is, in bytes unless said otherwise.
    package struct Sizes: Sendable, Equatable {
        /// The file.
        package var file = 0
        /// SQLite's log beside it (`-wal`); `nil` if there is none.
        package var log: Int?
        /// One page.
        package var page = 0
        /// How many pages the database has, those of its log included.
        package var pages = 0
        /// How many of them hold nothing.
        package var freePages = 0
        /// How many files with large values are beside it.
        package var externalFiles = 0
        /// These files together.
        package var external = 0
    }

    /// Whether anything is wrong with it.
    package struct Health: Sendable, Equatable {
        /// What SQLite's check of all pages found; empty if all is well, `nil` if it was not made.
        package var integrity: [String]?
        /// How it is written, by SQLite: `wal` with a log beside it, else a journal.
        package var journalMode: String?
        /// Files that values are in and that are not there, by their paths; `Limits.toldItems` at most.
        package var missingFiles: [String] = []
        /// How many such files there are.
        package var missingFileCount = 0
        /// Tables that are neither the model's, nor Core Data's, nor ours.
        package var unknownTables: [String] = []
        /// Triggers that are neither the model's, nor Core Data's, nor ours.
        package var unknownTriggers: [String] = []
        /// What else is wrong, or could not be looked at, each a sentence.
        package var problems: [String] = []
        /// What it takes to write into it.
        package var writing = Writing.unknown
    }

    /// What it takes to write into a file.
    package enum Writing: Sendable, Equatable {
        /// Nothing.
        case ready
        /// Consent to what it would get, each a phrase.
        case adoption([String])
        /// It is not written, for a reason.
        case refused(String)
        /// That could not be found out.
        case unknown
    }
}

extension StoreInspection.Health {
    /// Whether nothing was found that loses or endangers data.
    package var isWell: Bool { (integrity ?? []).isEmpty && missingFileCount == 0 && problems.isEmpty }
}
