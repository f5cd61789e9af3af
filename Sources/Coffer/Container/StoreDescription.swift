public import CofferModel
internal import CofferWire

/// Which store a container opens, and how.
public struct StoreDescription: Sendable, Hashable {
    /// Which changes of other contexts and processes are announced.
    public enum Announcements: Sendable, Hashable {
        /// Every change: lists learn of new objects.
        case all
        /// Those of objects that this process has read: least work if many processes write.
        case readObjects
    }

    /// The store's name.
    public var name: String
    /// The model's configuration whose entities it keeps.
    public var configuration: String
    /// Whether nothing is ever written, not even a lock.
    ///
    /// So no program may write into the file meanwhile. What a program that has the file open does may be
    /// seen in part, and is not announced. Open the store again once that program is done.
    public var isReadOnly: Bool
    /// SQLite options from the service's safe list, by name.
    ///
    /// What they cost is bounded, and larger values are lowered to these: a `cache_size` of 8 MiB, of eight
    /// stores of a user at a time, a `wal_autocheckpoint` of 16,384, a `journal_size_limit` of 256 MiB.
    /// `temp_store` is accepted, but what sorts need beyond their cache is on the disk in any case.
    ///
    /// `journal_mode` is `WAL` unless `DELETE` is asked for, or the store is on a file system that other
    /// machines share, such as NFS or SMB. Without a log the store is a single file between saves, which can
    /// be copied by hand. A save then waits for reads that have begun, is written with `FULL` at least, and
    /// no state can be pinned.
    ///
    /// If several clients have a store open at the same time, the first decides, but for two options:
    /// `synchronous` and `secure_delete` take the strictest value, and a client that does not set
    /// `synchronous` asks for `FULL`. A store whose model allows values in files of their own is written
    /// with `FULL` even if all clients say `NORMAL`.
    public var pragmas: [String: String]
    /// Whether a store that does not exist is an error; else it is made.
    public var mustExist: Bool
    /// Which changes of others are announced.
    public var announcements: Announcements
    /// Whether a file that Coffer did not make may be written.
    ///
    /// It gets what Coffer needs to write: tables of its own, and Core Data's history. What is there stays,
    /// and other programs still read it. A file that had no history has history tracking from then on: Core
    /// Data opens it for reading only in an application that does not set `NSPersistentHistoryTrackingKey`.
    /// Coffer cannot do without, since history tells its clients what changed.
    ///
    /// Without consent such a file is refused, with the reason `not_adopted` and a text that says what would
    /// be added, unless it is only read (`isReadOnly`), which changes neither the file nor its folder. What
    /// could not be kept right is refused in any case (`unadoptable`).
    public var adopts: Bool
    /// Whether a store that was made with another model is migrated to this one.
    ///
    /// What becomes of its objects follows from the two models: see <doc:Migration>. Clients of the service
    /// that have it open with the model of before are told first, so that they can save, and cannot use it
    /// any more then. A store does not go back by itself to a model that it was taken on from, so an older
    /// version of an application is refused.
    ///
    /// If objects, values or references are lost, a copy of the store is kept beside it for 30 days. What
    /// the models do not tell, and what would break a rule of the new one, is refused with the reason
    /// `unmigratable` and a text that says all of it; nothing is changed then. A file that Coffer did not
    /// make is migrated only if it is adopted.
    public var migratesAutomatically: Bool
    /// How a store that was made with another model comes to this one, if it `migratesAutomatically`.
    ///
    /// With `.stages` a store of any of the versions reaches the last of them, which is the container's
    /// model, in the one call that opens it, each stage in a transaction of its own. A store that has none of
    /// the versions is refused with the reason `unstaged`.
    public var migrationRoute: MigrationRoute
    /// How the store keeps its objects; if `nil`, as the store that is there does, and a new one in a file
    /// of SQLite.
    public var type: StoreType?
    /// The application's own type of store that keeps the objects, by the name that its container knows it
    /// by; `nil` for those of Coffer.
    ///
    /// Only containers of this process have such types, see <doc:YourOwnStores>.
    public var ownType: String?
    /// What the store is called in the containers of accounts, if several machines share it; `nil` if it
    /// belongs to this machine alone.
    ///
    /// While a user is signed in, what is saved goes into the folder of the account, which other software
    /// carries, and what other machines put there comes into open contexts like a save of another process.
    /// Edits of different properties of one object are all kept. Only the service of one user shares
    /// stores, and only those in files of SQLite. See <doc:Accounts>.
    public var ubiquitousContentName: String?
    /// What becomes of content that was saved in it while no user was signed in, once a user signs in;
    /// `nil` if an earlier choice stands, or `.keep`.
    ///
    /// It counts if there is a `ubiquitousContentName`, and for a store that existed before it got one.
    public var localContent: LocalContentChoice?
    /// Where it is in the containers of accounts, and what else is asked for of one that is shared.
    ///
    /// It counts if there is a `ubiquitousContentName`.
    public var ubiquity = UbiquityOptions()

    /// Describes a store by its name and, if the defaults do not fit, by how it is to be opened.
    public init(
        name: String, configuration: String = ManagedObjectModel.defaultConfiguration,
        isReadOnly: Bool = false,
        pragmas: [String: String] = [:], mustExist: Bool = false, announcements: Announcements = .all,
        adopts: Bool = false, migratesAutomatically: Bool = true, migrationRoute: MigrationRoute = .inferred,
        type: StoreType? = nil, ownType: String? = nil, ubiquitousContentName: String? = nil,
        localContent: LocalContentChoice? = nil
    ) {
        self.localContent = localContent
        (self.migrationRoute, self.ownType) = (migrationRoute, ownType)
        self.ubiquitousContentName = ubiquitousContentName
        self.migratesAutomatically = migratesAutomatically
        self.name = name
        self.configuration = configuration
        self.isReadOnly = isReadOnly
        self.pragmas = pragmas
        self.mustExist = mustExist
        self.announcements = announcements
        self.adopts = adopts
        self.type = type
    }
}

extension StoreDescription {
    /// The request to the service; `application` is empty for the caller's own.
    ///
    /// - Throws: `.refused` if the store is of an application's own type, which the service does not know.
    func request(
        application: String = "", modelID: [UInt8] = []
    ) throws(CofferError) -> OpenStoreRequestMessage {
        if let ownType {
            throw .refused(
                code: StatusCode.unimplemented.name, reason: "own_type",
                text:
                    "The service keeps no stores of the type '\(ownType)'. Use a container of this process.",
                place: name)
        }
        var request = OpenStoreRequestMessage(
            name: StoreNameMessage(application: application, configuration: configuration, name: name),
            modelID: modelID, mustExist: mustExist, isReadOnly: isReadOnly,
            watch: announcements == .all, adopts: adopts, type: type,
            migrates: migratesAutomatically && !isReadOnly,
            route: migratesAutomatically && !isReadOnly
                ? MigrationRouteMessage(migrationRoute, namingModels: false) : nil,
            ubiquitousContentName: ubiquitousContentName ?? "",
            localContent: ubiquitousContentName == nil ? nil : localContent?.message)
        request.sharing = ubiquity.message
        request.pragmas = pragmas
        return request
    }
}
