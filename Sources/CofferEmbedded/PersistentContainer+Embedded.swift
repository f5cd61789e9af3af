public import Coffer
import CofferCoordination
package import CofferLinux
public import CofferModel
import CofferStores
import CofferWire

extension PersistentContainer {
    /// A container whose stores are files of a folder, opened in this process without the service.
    ///
    /// Each store is `<name>.sqlite` in `folder`, or `<name>.binary` or `<name>.xml` if its description says
    /// so; one in memory has no file, and is its container's alone. This process owns the files until the
    /// container goes: the service, or another process, is refused meanwhile, as this one is while they have
    /// the files open. Containers of one process may be over the same files, with the same model: they share
    /// writer and row cache, and merge each other's saves.
    ///
    /// ```swift
    /// let container = try PersistentContainer.embedded(
    ///     name: "Notes", model: model, folder: "/var/lib/notes")
    /// try container.loadStores()
    /// let notes = try container.viewContext.fetch(FetchRequest<Note>())
    /// ```
    ///
    /// - Parameters:
    ///   - name: The container's name.
    ///   - model: The model of all stores.
    ///   - folder: Where the files are; it exists.
    ///   - stores: What `loadStores` opens.
    ///   - sqlDebug: How much is written to standard error of the SQL that runs: 1 statements with times and
    ///     rows, 2 also SQLite's plans; 0 nothing. If it is `nil`, the environment's `COFFER_SQL_DEBUG` says
    ///     it. Unlike Core Data's `-com.apple.CoreData.SQLDebug 3`, no level shows values.
    ///   - ownTypes: Types of stores of the application's own, which `stores` may name: see
    ///     ``OwnStoreType``.
    /// - Throws: `.refused` if the folder cannot be opened, or the name of a type in `ownTypes` is not
    ///   allowed.
    /// - Returns: The container, whose stores are opened by `loadStores()`.
    public static func embedded(
        name: String, model: ManagedObjectModel, folder: String, stores: [StoreDescription] = [],
        sqlDebug: Int? = nil, ownTypes: [OwnStoreType] = []
    ) throws(CofferError) -> PersistentContainer {
        try ownTypes.check()
        let place: Folder
        do throws(LinuxError) {
            place = try Folder(at: folder)
        } catch {
            throw .refused(
                code: StatusCode.notFound.name, reason: "folder", text: "\(error)", place: folder)
        }
        let coordinator = EmbeddedCoordinator(model: model, sqlDebug: sqlDebug, ownTypes: ownTypes)
        return PersistentContainer(name: name, coordinator: coordinator, stores: stores) {
            (store) throws(CofferError) in
            try coordinator.addStore(store, in: place)
        }
    }
}

extension EmbeddedCoordinator {
    /// Opens a store, or makes one if there is none.
    package func addStore(_ description: StoreDescription, in folder: Folder) throws(CofferError) {
        if description.migratesAutomatically, !description.isReadOnly, description.migrationRoute != .inferred
        {
            return try addStore(description, in: folder, by: description.migrationRoute)
        }
        let ownType = try description.ownType.map { name throws(CofferError) in try ownTypes.type(named: name)
        }
        try translating { () throws(StoreError) in
            var options = StoreOptions()
            options.isReadOnly = description.isReadOnly
            options.foreignFiles = description.adopts ? .adopted : .refused
            options.mustExist = description.mustExist
            options.pragmas = description.pragmas
            options.sqlDebug = sqlDebug
            options.missingValues = MissingValues.toStandardError()
            options.migration = description.migratesAutomatically ? MigrationOptions(isAutomatic: true) : nil
            if !description.isReadOnly, description.type != .memory {
                try Self.finishMoves(of: description.name, in: folder)
            }
            let present =
                description.type == .memory ? nil : try StoreMove.type(of: description.name, in: folder)
            let type = description.type ?? present ?? .sqlite
            if let present, present != type || ownType != nil {
                let path = folder.path(of: description.name + present.fileSuffix)
                throw StoreError.otherType(path: path, is: present)
            }
            var suffix = type.fileSuffix
            switch ownType {
            case .atomic(let name, let store):
                suffix = ".\(name)"
                options.format = OwnAtomicFormat(
                    store, name: name, model: model, configuration: description.configuration)
            case .incremental(let name, let open):
                suffix = ".\(name)"
                options.source = try IncrementalSource(
                    open, of: description, type: name, model: model)
            case nil: options.type = type
            }
            let store = try SharedStores.open(
                in: folder, fileName: description.name + suffix, model: try StoreModel(model),
                configuration: description.configuration, options: options)
            add(store, name: description.name)
        }
    }
}
