package import Coffer
import CofferCoordination
import CofferLinux
package import CofferModel
import CofferStores
package import CofferWire

extension EmbeddedCoordinator {
    /// A coordinator over the one store file at `path`, which is made if it is missing, unless it must exist.
    ///
    /// If `model` is `nil`, the store's own model is used. A store that is only read stays as it is to the
    /// last byte, and gets no lock: no process may change it meanwhile. The same holds for a file that Coffer
    /// did not make if the caller `onlyReads`; a caller that writes into such a file has to adopt it.
    /// - Throws: `CofferError.incompatibleModel`, or `.refused` with the reason: the file is missing, is not
    ///   a store, keeps no model, was not made by Coffer, or is open in another process, whose pid the text
    ///   names.
    package static func open(
        path: String, model: ManagedObjectModel?,
        configuration: String = ManagedObjectModel.defaultConfiguration,
        mustExist: Bool, isReadOnly: Bool = false, onlyReads: Bool = false, adopts: Bool = false,
        type: StoreType? = nil, application: String
    ) throws(CofferError) -> EmbeddedCoordinator {
        let store = try translating { () throws(StoreError) in
            var options = StoreOptions()
            options.sqlDebug = SQLDebug.toStandardError(level: nil)
            options.missingValues = MissingValues.toStandardError()
            options.type = type
            options.mustExist = mustExist
            options.isReadOnly = isReadOnly
            options.foreignFiles = onlyReads ? .read : adopts ? .adopted : .refused
            let makes = !mustExist && !isReadOnly && !onlyReads
            let (folder, name) = try place(path, making: makes ? type ?? .sqlite : nil)
            if !isReadOnly && !onlyReads,
                let ending = StoreType.allCases.map(\.fileSuffix).first(where: {
                    !$0.isEmpty && name.hasSuffix($0)
                })
            {
                try finishMoves(of: String(name.dropLast(ending.count)), in: folder)
            }
            return try SharedStores.open(
                in: folder, fileName: name,
                model: model.map { model throws(StoreError) in try StoreModel(model) },
                configuration: configuration, options: options)
        }
        let coordinator = EmbeddedCoordinator(model: store.model, application: application)
        coordinator.add(store, name: path)
        return coordinator
    }

    private static func folder(_ path: String) throws(StoreError) -> Folder {
        do throws(LinuxError) { return try Folder(at: path) } catch {
            throw error.isNotFound ? .notFound(path: path) : StoreError(error)
        }
    }
}

extension EmbeddedCoordinator {
    /// What a store says of itself, after changing texts of applications.
    package func metadata(_ request: MetadataRequestMessage) throws(CofferError) -> MetadataReplyMessage {
        try translating { () throws(StoreError) in
            let store = try store(request.store)
            if request.changes.isEmpty { return try store.metadata() }
            return try store.write { writer throws(StoreError) in
                try writer.metadata(changing: request.changes)
            }
        }
    }

    package func consumer(_ request: ConsumerRequestMessage) throws(CofferError) -> ConsumerReplyMessage {
        let application = application
        return try translating { () throws(StoreError) in
            let store = try store(request.store)
            if let reply = try store.consumersOfForeignFile(request) { return reply }
            let now = store.file.environment.now()
            return try store.write { writer throws(StoreError) in
                try writer.setConsumer(request, application: application, now: now)
            }
        }
    }

    package func purgeHistory(
        _ request: PurgeHistoryRequestMessage
    ) throws(CofferError) -> PurgeHistoryReplyMessage {
        try translating { () throws(StoreError) in
            let store = try store(request.store)
            let now = store.file.environment.now()
            return PurgeHistoryReplyMessage(
                floor: try store.write { writer throws(StoreError) in
                    try writer.purgeHistory(request, now: now)
                })
        }
    }

    /// Deletes the files of the store at `path`; says whether there was one.
    ///
    /// A file that is not a store stays, whatever it is.
    package static func remove(path: String) throws(CofferError) -> Bool {
        try translating { () throws(StoreError) in
            let (folder, name) = try place(path)
            defer { DocumentPackage.removeIfEmpty(path) }
            return try StoreFile.remove(name, in: folder, mustBeStore: true)
        }
    }

    /// The folder of a path, and the name in it; for a document's package, the folder and the name of its
    /// store.
    ///
    /// If a store of a type is to be made, the package's folder is made.
    static func place(
        _ path: String, making type: StoreType? = nil
    ) throws(StoreError) -> (Folder, String) {
        var end = path[...]
        while end.hasSuffix(".coffer/") { end = end.dropLast() }
        let parts = end.split(separator: "/", omittingEmptySubsequences: false)
        let parent = parts.dropLast().joined(separator: "/")
        let folder = try folder(parent.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : parent)
        let name = parts.last.map { String($0) } ?? ""
        if ["", ".", ".."].contains(name) { throw .notAStore(path: path, detail: "it is a folder, or none") }
        return try DocumentPackage.store(of: name, in: folder, making: type) ?? (folder, name)
    }
}
