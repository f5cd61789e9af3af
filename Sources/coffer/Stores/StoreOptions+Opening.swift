import Coffer
import CofferEmbedded
import CofferFormats
import CofferModel

extension StoreOptions {
    /// Opens a store that exists.
    func open(_ store: String, author: String = "", for access: StoreAccess) throws -> ToolStore {
        if embedded {
            return try ToolStore(try openFile(store, mustExist: true, for: access), author: author)
        }
        return try ToolStore(try openServed(store, for: access).coordinator, author: author)
    }

    /// Opens a store of the service that exists.
    func openServed(_ store: String, for access: StoreAccess) throws -> OpenedStore {
        try opening(store, for: access) { isReading, _, adopts in
            var description = StoreDescription(
                name: store, configuration: configuration, isReadOnly: isReading, mustExist: true,
                adopts: adopts, ubiquitousContentName: sharing.contentName)
            description.ubiquity = sharing.options
            return try service.finding(store, configuration: configuration) { service in
                try service.openStore(description, application: self.service.application)
            }
        }
    }

    /// Opens a store file, with `model` if it is to be made.
    func openFile(
        _ path: String, model: ManagedObjectModel? = nil, type: StoreType? = nil, mustExist: Bool,
        for access: StoreAccess
    ) throws -> EmbeddedCoordinator {
        let own = try self.model.map { try ModelOptions.lenient.read($0) }
        return try opening(path, for: access) { isReading, isSealed, adopts in
            do {
                let opened = try EmbeddedCoordinator.open(
                    path: path, model: model ?? own, configuration: configuration, mustExist: mustExist,
                    isReadOnly: isSealed, onlyReads: isReading, adopts: adopts, type: type,
                    application: ServiceOptions.ownApplication)
                if opened.isModelGuessed { GuessedModelNotice.say(of: path) }
                return opened
            } catch let error as CofferError {
                guard case .refused(_, let reason, _, _) = error, let hint = Self.hint(reason) else {
                    throw error
                }
                throw ToolError(error).adding(hint)
            }
        }
    }

    /// What to do if a file cannot be opened for a reason.
    private static func hint(_ reason: String) -> String? {
        switch reason {
        case "read_only": "Commands that only read take it all the same."
        case "locked":
            "If that is the service, leave --embedded out and name the store as 'coffer store list --all' does."
        default: nil
        }
    }

    /// Makes a store, or opens one that has the same model.
    func add(_ store: String, model: ManagedObjectModel, type: StoreType?) throws -> ToolStore {
        if embedded {
            return try ToolStore(
                try openFile(
                    store, model: model, type: type, mustExist: false, for: .reading(isSealed: false)))
        }
        var description = StoreDescription(
            name: store, configuration: configuration, type: type,
            ubiquitousContentName: sharing.contentName)
        description.ubiquity = sharing.options
        let container = try PersistentContainer(
            name: store, model: model, application: service.application, stores: [description],
            bus: service.bus.address)
        try container.loadStores()
        return try ToolStore(container.coordinator)
    }
}

extension StoreOptions {
    /// Opens a store by `body`; once more, with consent, if Coffer did not make its file and is to write into
    /// it.
    func opening<Opened>(
        _ store: String, for access: StoreAccess,
        _ body: (_ isReading: Bool, _ isSealed: Bool, _ adopts: Bool) throws -> Opened
    ) throws -> Opened {
        switch access {
        case .reading(let isSealed): return try body(true, isSealed, false)
        case .writing(let adoption):
            do {
                return try body(false, false, false)
            } catch let error as CofferError {
                guard try consents(adoption, to: error) else { throw error }
                if let file = adoption.copyFirst { _ = try backUp(store, to: file) { _, _ in } }
                return try body(false, false, true)
            }
        }
    }

    /// Whether the user agrees to what writing takes, as an error says; asks if the options do not say so and
    /// there is a user to ask.
    private func consents(_ adoption: AdoptionOptions, to error: CofferError) throws -> Bool {
        guard case .refused(_, let reason, let text, _) = error else { return false }
        switch reason {
        case "unfinished_write":
            if adoption.adopt, adoption.copyFirst != nil {
                throw ToolError(error).adding(
                    "No copy can be made before that: copy the file and its -journal with other means, "
                        + "then leave --copy-first out.")
            }
            return adoption.adopt
        case "not_adopted":
            if adoption.adopt { return true }
            guard StandardInput.isTerminal else { return false }
            guard StandardInput.confirms("\(text) Agree now?") else {
                throw ToolError(.declined, "Nothing was written.")
            }
            return true
        default: return false
        }
    }

    /// Copies a store into a file.
    func backUp(
        _ store: String, to file: String, replacing: Bool = false, asOneFile: Bool = false,
        progress: (_ copied: UInt64, _ total: UInt64) -> Void
    ) throws -> ServiceConnection.Backup {
        if embedded {
            let coordinator = try openFile(store, mustExist: true, for: .reading(isSealed: false))
            return try coordinator.backUp(
                storeNamed: store, toFileAt: file, replacing: replacing, asOneFile: asOneFile
            ) { copied, total in
                progress(copied, total)
                return true
            }
        }
        return try service.finding(store, configuration: configuration) { service in
            try service.backUpStore(
                named: store, toFileAt: file, configuration: configuration,
                application: self.service.application, replacing: replacing, asOneFile: asOneFile,
                progress: progress)
        }
    }

    /// Makes a new store of a store.
    func copy(
        _ store: String, to file: String, type: StoreType, isPlain: Bool, asConfiguration: String?,
        progress: @escaping (_ copied: UInt64, _ total: UInt64) -> Void
    ) throws -> ServiceConnection.StoreCopy {
        if embedded {
            let coordinator = try openFile(store, mustExist: true, for: .reading(isSealed: false))
            return try coordinator.copy(
                storeNamed: store, toFileAt: file, type: type, asConfiguration: asConfiguration,
                isPlain: isPlain
            ) { copied, total in
                progress(copied, total)
                return true
            }
        }
        return try service.finding(store, configuration: configuration) { service in
            try service.copyStore(
                named: store, toFileAt: file, type: type, configuration: configuration,
                asConfiguration: asConfiguration, application: self.service.application, isPlain: isPlain,
                progress: progress)
        }
    }
}
